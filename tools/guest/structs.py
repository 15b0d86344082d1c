# SPDX-License-Identifier: BSD-2-Clause
"""Structures that calls point to: reads lib/guest/structs.toml."""

from dataclasses import dataclass

from . import kinds


@dataclass
class Struct:
    name: str
    size: str       # an expression, as all offsets and sizes of the fields
    fields: list
    more: bool
    named: bool     # the fields have names, in braces


def number(value, expression, of):
    """Gives a value the size and the sign of a C expression or type."""
    value.sign = f"((__typeof__({of}))-1 < 1)"
    value.size = f"sizeof({expression})"
    return value


def read_element(name, table):
    """Returns a structure that is one number, or several."""
    element, count = table["element"], table.get("count", 1)
    value = number(kinds.Value("", table.get("kind", "unsigned"), "0", count=str(count)), element, element)
    return Struct(name, f"{count} * sizeof({element})", [value], False, False)


def read_field(text, c_type, known):
    """Returns one field of `NAME`, `NAME[]` or `NAME: KIND`."""
    words, _, kind = text.partition(":")
    label, _, name = words.rpartition("=")
    array = name.endswith("[]")
    name = name.removesuffix("[]")
    field = f"(({c_type} *)0)->{name}"
    value = kinds.Value(label or name, "unsigned", f"__builtin_offsetof({c_type}, {name})", size=f"sizeof({field})", label=True)
    if array:
        value.count, field = f"sizeof({field}) / sizeof({field}[0])", f"{field}[0]"
        value.size = f"sizeof({field})"
    if not kind:
        return number(value, field, field)
    return kinds.read(kind, known, value)


def read(data, known):
    """Returns {name: Struct}."""
    found = {}
    for name, table in data["struct"].items():
        if "element" in table:
            found[name] = read_element(name, table)
            continue
        fields = [read_field(text, table["type"], known) for text in table["fields"]]
        found[name] = Struct(name, f"sizeof({table['type']})", fields, table.get("more", False), True)
    return found


def headers_of(data):
    return sorted({table["header"] for table in data["struct"].values() if "header" in table})


def value_expressions(value):
    texts = [str(value.at), str(value.size), value.sign, value.count]
    return texts + ([value.only[1]] if value.only else [])


def expressions(structs):
    return [text for found in structs.values() for text in
            [found.size, *(part for value in found.fields for part in value_expressions(value))]]
