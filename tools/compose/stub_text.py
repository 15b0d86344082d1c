# SPDX-License-Identifier: BSD-2-Clause
"""Text functions of the stub generators."""

import textwrap

REGISTERS = ("rbx", "rbp", "r12", "r13", "r14", "r15")
LICENSE = "SPDX-License-Identifier: BSD-2-Clause"


def comment(text, indent=""):
    """Returns a C comment of one or more lines."""
    lines = textwrap.wrap(text, 94 - len(indent), break_long_words=False, break_on_hyphens=False)
    if len(lines) == 1:
        return f"{indent}/* {lines[0]} */\n"
    return f"{indent}/*\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def sentence(text):
    """Returns `text` with a full stop."""
    return text if text[-1] in ".!?:;" else text + "."


def word_text(word):
    more = [text for text in (word.range, word.unit) if text]
    return f"{word.name}: {word.doc.rstrip('.')}" + (f" ({', '.join(more)})" if more else "")


def prototype(head, parameters):
    """Returns a C function head, broken at 100 columns."""
    line = f"{head}({', '.join(parameters) or 'void'})"
    if len(line) <= 98:
        return line
    return f"{head}(\n\t" + "\n\t".join(
        textwrap.wrap(", ".join(parameters), 90)) + ")"


def ids(interface, prefix):
    """Returns the number of each function in its interface. Import and export header may both define it."""
    upper = prefix.upper()
    names = "".join(f"\t{upper}_ID_{function.name.upper()} = {number},\n"
                    for number, function in enumerate(interface.functions))
    return f"#ifndef {upper}_IDS\n#define {upper}_IDS\nenum {{\n{names}}};\n#endif\n\n"


def function_doc(function, results_to):
    """Returns the text of a prototype's comment."""
    parts = [sentence(function.doc)]
    parts += [sentence(word_text(word)) for word in function.args]
    if function.results:
        words = "; ".join(word_text(word) for word in function.results)
        parts.append(sentence(f"{results_to} {words}"))
    if function.errors:
        errors = "; ".join(f"LIMPET_{name}: {doc}" for name, doc in function.errors)
        parts.append(sentence(f"Errors: {errors}"))
    return " ".join(parts)


# One instruction initialises the vector registers, x87, MXCSR and control word. The upper halves of AVX registers need
# another one. All objects of a component share the area.
CLEAN_AREA = (
    '.pushsection .rodata.limpet_clean, "aG", @progbits, __limpet_clean, comdat',
    ".balign 64",
    ".weak __limpet_clean",
    ".hidden __limpet_clean",
    "__limpet_clean: .short 0x37f, 0, 0, 0",
    ".quad 0, 0",
    ".long 0x1f80, 0",
    ".zero 480",
    ".popsection",
)
