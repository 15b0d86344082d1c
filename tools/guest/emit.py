# SPDX-License-Identifier: BSD-2-Clause
"""Writes the table as C, and the numbers as a header."""

import os

from . import kinds, sets as sets_of
from .calls import REGISTERS

LICENSE = "SPDX-License-Identifier: BSD-2-Clause"
MADE = "Made from the kernel's headers by tools/guest. Do not edit."
ERRORS = "E"
# Numbers that the kernel uses itself while it delivers a signal. The C library has no text for them.
RESTART = {"ERESTARTSYS": "To be restarted if SA_RESTART is set", "ERESTARTNOINTR": "To be restarted",
           "ERESTARTNOHAND": "To be restarted if no handler", "ERESTART_RESTARTBLOCK": "Interrupted by signal"}


def hexadecimal(value):
    return f"{value & (1 << 64) - 1:#x}ul"


def number32(value):
    """Returns a negative number as its low 32 bits, because it is an int, and arguments are loaded without their sign."""
    return hexadecimal(value & (1 << 32) - 1 if value < 0 else value)


def quoted(text):
    return f'"{text}"' if text is not None else "(void *)0"


class Writer:
    """Collects values, because calls, variants and structures refer to them by their place."""

    def __init__(self, values, sets, structs):
        self.values, self.lines = values, []
        self.sets = {name: index for index, name in enumerate(sets)}
        self.structs = {name: index for index, name in enumerate(structs)}

    def of(self, value):
        names = kinds.KINDS[value.kind]
        return {None: 0, "set": self.sets, "struct": self.structs}[names][value.of] if names else 0

    def number(self, text):
        return text if isinstance(text, int) else self.values[text]

    def link(self, value, index):
        if value.link is None:
            return -1
        if value.link == "result":
            return kinds.RESULT
        return kinds.CONSTANT + int(value.link) if value.link.isdigit() else index(value.link)

    def value(self, value, index):
        only = (index(value.only[0]), hexadecimal(self.values[value.only[1]])) if value.only else (-1, "0")
        return (f"\t{{ .name = \"{value.name}\", .bits = {only[1]}, .at = {self.number(value.at)}, "
                f".count = {self.number(value.count) if value.count != '1' else 1}, .kind = GUEST_{value.kind.upper()}, "
                f".way = GUEST_{value.way.upper()}, .of = {self.of(value)}, .size = {self.number(value.size)}, "
                f".link = {self.link(value, index)}, .only = {only[0]}, "
                f".sign = {1 if value.kind == 'signed' else self.number(value.sign) if value.sign != '0' else 0}, "
                f".label = {int(value.label)} }},")

    def place(self, values, index):
        """Adds values, and returns the place of the first."""
        first = len(self.lines)
        self.lines += [self.value(value, index) for value in values]
        return first

    def returns(self, returns):
        word, of = returns
        return f".returns = GUEST_RETURNS_{word.upper()}, .of = {self.sets[of] if of else 0}"


def position(fields):
    return lambda name: [field.name for field in fields].index(name)


def calls_text(writer, calls):
    """Returns the tables of calls and of variants."""
    table, variants = [], []
    for call in calls.values():
        first = writer.place(call.arguments, call.index)
        table.append(f"\t[{call.number}] = {{ .name = \"{call.name}\", .arguments = {first}, .count = {len(call.arguments)}, "
                     f".variants = {len(variants)}, .variant_count = {len(call.variants)}, "
                     f"{writer.returns(call.returns)}, .implemented = {int(call.implemented)} }},")
        for variant in call.variants:
            first = writer.place(variant.shown, call.index)
            by = call.index(variant.by) if variant.by else 0
            variants.append(f"\t{{ .mask = {hexadecimal(writer.values[variant.mask] & (1 << 32) - 1)}, "
                            f".value = {hexadecimal(writer.values[variant.value] & (1 << 32) - 1)}, .by = {by}, "
                            f".arguments = {first}, .count = {len(variant.shown)}, {writer.returns(variant.returns)} }},")
    return table, variants


def symbols_text(name, pairs):
    lines = [f"\t{{ {quoted(symbol)}, {number32(value)} }}," for symbol, value in pairs]
    return [f"static const struct guest_symbol {name}[] = {{", *(lines or ["\t{ (void *)0, 0 },"]), "};", ""]


def sets_text(sets, values):
    arrays, table = [], []
    for found in sets.values():
        pairs = sets_of.ordered(found, values)
        zero = found.zero or next((name for name, value in pairs if not value), None)
        base = [(name, values[expression]) for name, expression in found.base]
        arrays += symbols_text(f"symbols_{found.name}", pairs) + symbols_text(f"base_{found.name}", base)
        table.append(f"\t{{ symbols_{found.name}, base_{found.name}, {hexadecimal(values[found.mask])}, {len(pairs)}, {len(base)}, "
                     f"{quoted(zero)}, {quoted(found.unknown)} }},")
    return arrays + ["const struct guest_set guest_sets[] = {", *table, "};", ""]


def errors_text(sets, values):
    """Returns the texts of errors, as the C library of this machine has them."""
    lines = [f"\t{{ {quoted(name)}, {quoted(RESTART.get(name) or os.strerror(value))}, {value} }},"
             for name, value in sorted(sets_of.ordered(sets[ERRORS], values), key=lambda pair: pair[1])]
    return ["const struct guest_error guest_errors[] = {", *lines, "};",
            f"const unsigned int guest_error_count = {len(lines)};", ""]


def table(calls, sets, structs, values):
    """Returns the C source of the whole table."""
    writer = Writer(values, sets, structs)
    call_lines, variants = calls_text(writer, calls)
    struct_lines = [f"\t{{ .size = {values[s.size]}, .fields = {writer.place(s.fields, position(s.fields))}, "
                    f".count = {len(s.fields)}, .more = {int(s.more)}, .named = {int(s.named)} }}," for s in structs.values()]
    last = max(call.number for call in calls.values())
    return "\n".join([
        f"// {LICENSE}", f"/* {MADE} */", "#include <guest/table.h>", "",
        "const struct guest_call guest_table[] = {", *call_lines, "};", f"const unsigned int guest_table_size = {last + 1};", "",
        "const struct guest_variant guest_variants[] = {", *variants, "};", "",
        "const struct guest_struct guest_structs[] = {", *struct_lines, "};", "",
        "const struct guest_value guest_values[] = {", *writer.lines, "};", "",
        *sets_text(sets, values), *errors_text(sets, values)])


def numbers(calls, sets, structs, values, constants):
    """Returns the header with the number of each call, set and structure, and values that the library uses."""
    sizes = {name: values[struct.size] for name, struct in structs.items()}
    parts = [("the calls of Linux on x86-64", "GUEST_CALL_", {c.name: c.number for c in calls.values()}),
             ("sets of names of values", "GUEST_SET_", {name: i for i, name in enumerate(sets)}),
             ("structures", "GUEST_STRUCT_", {name: i for i, name in enumerate(structs)}),
             ("bytes of structures", "GUEST_SIZE_", {**sizes, "MAX": max(sizes.values())})]
    lines = [f"/* {LICENSE} */", f"/* {MADE} */", "#ifndef GUEST_NUMBERS_H", "#define GUEST_NUMBERS_H", ""]
    for text, prefix, found in parts:
        lines += [f"/* Numbers of {text}. */", "enum {", *(f"\t{prefix}{name} = {number}," for name, number in found.items()), "};", ""]
    lines += ["/* Values of Linux. */", *(f"#define GUEST_{name} ({value})" for name, value in constants.items()), ""]
    return "\n".join(lines + ["#endif", ""])


def page(calls):
    """Returns the reference page: number, name and arguments of each call."""
    lines = [f"<!-- {MADE} -->", "", "# System calls of guests", "", "| number | call | arguments | result |", "|---|---|---|---|"]
    for call in calls.values():
        kinds_of = [f"{value.name}: {value.kind}{' ' + value.of if value.of else ''}{' out' if value.way != 'in' else ''}"
                    for value in call.arguments]
        result = " ".join(filter(None, call.returns)) if call.implemented else "always ENOSYS"
        lines.append(f"| {call.number} | `{call.name}` | {', '.join(kinds_of)} | {result} |")
    assert max(len(call.arguments) for call in calls.values()) <= REGISTERS
    return "\n".join(lines) + "\n"
