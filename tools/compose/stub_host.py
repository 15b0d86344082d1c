# SPDX-License-Identifier: BSD-2-Clause
"""The client's side of an interface in a Linux process: calls through a channel, see docs/reference/call.md."""

from . import stub_text

HEAD = """\
/* {license} */
/* Generated from interface {name}, version {version}, by tools/compose. Do not edit. */
#ifndef HOST_{upper}_H
#define HOST_{upper}_H

#include <client/call.h>

/* Tells the component side which definition of the interface this program was built with. */
#define HOST_{upper}_INTERFACE {identity:#010x}u

"""

GENERAL = ("Each function returns 0 or more, or a negative value: a LIMPET_E... of the component, or a "
           "LIMPET_CALL_... that gives the reason why there is no answer, see <client/call.h>; "
           "limpet_call_text() has one line for each. The results are valid if the value is not negative.")


def parameters(function):
    return ["struct limpet_caller *limpet_caller"] + [f"uint64_t {w.name}" for w in function.args] + \
        [f"uint64_t *{w.name}" for w in function.results]


def body(interface, function):
    upper, words = interface.name.upper(), ", ".join(w.name for w in function.args)
    text = (f"{{\n\tconst uint64_t limpet_in[6] = {{ {words or 0} }};\n\tuint64_t limpet_out[3];\n"
            f"\tlong limpet_status =\n\t\tlimpet_call(limpet_caller, HOST_{upper}_INTERFACE,\n"
            f"\t\t\t    {upper}_ID_{function.name.upper()}, limpet_in, limpet_out);\n\n")
    text += "".join(f"\t*{word.name} = limpet_out[{index}];\n"
                    for index, word in enumerate(function.results))
    return text + "\treturn limpet_status;\n}\n"


def function_text(interface, function):
    head = f"static inline long {interface.name}_{function.name}"
    return stub_text.comment(stub_text.function_doc(function, "Stores")) + \
        stub_text.prototype(head, parameters(function)) + "\n" + body(interface, function)


def header(interface, identity):
    """The header <host/NAME.h>."""
    text = HEAD.format(license=stub_text.LICENSE, name=interface.name, version=interface.version,
                       upper=interface.name.upper(), identity=identity)
    text += stub_text.ids(interface, interface.name)
    text += stub_text.comment(stub_text.sentence(interface.doc) + " " + GENERAL) + "\n"
    text += "\n".join(function_text(interface, f) for f in interface.functions)
    return text + "\n#endif\n"
