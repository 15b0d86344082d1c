# SPDX-License-Identifier: BSD-2-Clause
"""Generates the client's side of an interface: an inline function for each function."""

from . import stub_text
from .stub_text import REGISTERS

HEAD = """\
/* {license} */
/* Generated from interface {name}, version {version}, by tools/compose. Do not edit. */
#ifndef IMPORT_{upper}_H
#define IMPORT_{upper}_H

{headers}
#define {upper}_VERSION {version}

{support}"""

# All imports of a component share this text, so it has its own guard.
SUPPORT = """\
#ifndef LIMPET_IMPORT
#define LIMPET_IMPORT static inline __attribute__((always_inline))
/*
 * Registers that an invocation changes besides the message registers. rbp is one of these, so a component
 * is built with -fomit-frame-pointer, and a function with alloca or a variable-length array cannot
 * invoke.
 */
#define LIMPET_IMPORT_CLOBBERS \\
	"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory" LIMPET_IMPORT_VECTORS
#ifdef LIMPET_FPU
/* Vector registers are cleared, so that the server sees none, and not trusted afterwards. */
#ifdef __AVX512F__
#error "these stubs do not clear AVX-512 registers: build the component without them"
#endif
#ifdef __AVX__
#define LIMPET_IMPORT_UPPER "vzeroupper\\n\\t"
#else
#define LIMPET_IMPORT_UPPER ""
#endif
#define LIMPET_IMPORT_CLEAN "fxrstor64 __limpet_clean(%%rip)\\n\\t" LIMPET_IMPORT_UPPER
#define LIMPET_IMPORT_AGAIN "\\n\\tfxrstor64 __limpet_clean(%%rip)"
#define LIMPET_IMPORT_VECTORS , "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", \\
	"st(7)", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \\
	"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
asm({area});
#else
#define LIMPET_IMPORT_CLEAN
#define LIMPET_IMPORT_AGAIN
#define LIMPET_IMPORT_VECTORS
#endif
#endif

"""


def support():
    lines = [line.replace('"', '\\"') for line in stub_text.CLEAN_AREA]
    area = "".join(f'\n    "{line}\\n"' for line in lines)
    return SUPPORT.replace("{area}", area)


def operands(function):
    """Returns the message registers as variables: arguments, then zeros."""
    lines = []
    for index, register in enumerate(REGISTERS):
        value = function.args[index].name if index < len(function.args) else "0"
        lines.append(f'\tregister word limpet_{register} asm("{register}") = {value};\n')
    return "".join(lines)


def rest(function):
    """Returns the wait until the time of `until`. A function that can time out has reached the time only then."""
    if not function.until:
        return ""
    timed = any(error == "ETIME" for error, _ in function.errors)
    time = function.until.name if function.until in function.args else f"*{function.until.name}"
    return f"\tif (limpet_status {'== LIMPET_ETIME' if timed else '>= 0'})\n\t\tlimpet_time_reach({time});\n"


def body(prefix, function):
    outs = [f'"+r"(limpet_{register})' for register in REGISTERS]
    stores = "".join(f"\t*{word.name} = limpet_{register};\n"
                     for word, register in zip(function.results, REGISTERS))
    return (f"{{\n\tlong limpet_status;\n{operands(function)}\n"
            f"\tasm volatile(LIMPET_IMPORT_CLEAN\n"
            f'\t\t     "movq $__limpet_import_{prefix}_{function.name}, %%rax\\n\\t"\n'
            f'\t\t     "syscall" LIMPET_IMPORT_AGAIN\n'
            f'\t\t     : "=a"(limpet_status), {", ".join(outs[:2])},\n'
            f'\t\t       {", ".join(outs[2:])}\n'
            f"\t\t     :\n\t\t     : LIMPET_IMPORT_CLOBBERS);\n"
            f"{stores}{rest(function)}\treturn limpet_status;\n}}\n")


def functions(interface, prefix, form):
    for function in interface.functions:
        parameters = [f"word {word.name}" for word in function.args]
        parameters += [f"word *{word.name}" for word in function.results]
        yield form(function, f"{prefix}_{function.name}", parameters)


def header(interface, prefix=None):
    """Returns the header <import/PREFIX.h>."""
    prefix = prefix or interface.name
    headers = "#include <runtime/types.h>\n"
    if any(function.until for function in interface.functions):
        headers = "#include <runtime/time.h>\n" + headers
    text = HEAD.format(headers=headers, license=stub_text.LICENSE, name=interface.name, upper=prefix.upper(),
                       version=interface.version, support=support())
    text += stub_text.ids(interface, prefix)
    text += stub_text.comment(stub_text.sentence(interface.doc) + " Each function returns 0 or "
                              "more, or a negative LIMPET_E... value; results mean something when "
                              "it is not negative.") + "\n"
    text += "#ifdef LIMPET_FAKE_KERNEL\n\n"
    text += "\n".join(functions(interface, prefix, lambda f, name, parameters:
                                stub_text.prototype(f"long {name}", parameters) + ";\n"))
    text += "\n#else\n\n"
    text += "\n".join(functions(interface, prefix, lambda f, name, parameters:
                                stub_text.comment(stub_text.function_doc(f, "Stores"))
                                + stub_text.prototype(f"LIMPET_IMPORT long {name}", parameters)
                                + "\n" + body(prefix, f)))
    return text + "\n#endif\n\n#endif\n"
