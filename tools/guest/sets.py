# SPDX-License-Identifier: BSD-2-Clause
"""Sets of names of values: reads lib/guest/sets.toml."""

import re
from dataclasses import dataclass, field


@dataclass
class Set:
    name: str
    symbols: list                       # (printed name, expression)
    base: list = field(default_factory=list)
    mask: str = "0"
    zero: str | None = None
    unknown: str = ""
    sort: bool = False


def listed(names):
    return [tuple(name.split("=", 1)) if "=" in name else (name, name) for name in names]


def matched(headers, table, of):
    """Returns the macros of the headers that `match` and `without` select."""
    found = [name for header in of for name in headers.macros(header) if re.fullmatch(table["match"], name)]
    without = table.get("without")
    return listed([name for name in dict.fromkeys(found) if not (without and re.fullmatch(without, name))])


def symbols(headers, table, of):
    return matched(headers, table, of) if "match" in table else listed(table["names"])


def read(headers, data):
    """Returns {name: Set}. Reads definitions from headers that cannot be compiled first."""
    for header, pattern in data["read"].items():
        headers.read_macros(header, pattern)
    for header, first_lines in data["types"].items():
        for line in first_lines:
            headers.read_type(header, line)
    sets = {}
    for name, table in data["set"].items():
        base = table.get("base", {})
        of = table["headers"]
        sets[name] = Set(name, symbols(headers, table, of), symbols(headers, base, of) if base else [],
                         base.get("mask", "0"), table.get("zero"), table.get("unknown", f"{name}_???"), "match" in table)
    return sets


def headers_of(data):
    """Returns all headers that sets name."""
    return sorted({header for table in data["set"].values() for header in table["headers"]})


def expressions(sets):
    return [text for found in sets.values() for text in
            [found.mask, *(expression for _, expression in found.symbols + found.base)]]


def ordered(found, values):
    """Returns (name, value) of a set's symbols, each value once: several bits first where the headers' order is used."""
    result = {}
    for name, expression in found.symbols:
        result.setdefault(values[expression], name)
    pairs = [(name, value) for value, name in result.items()]
    if found.sort:
        pairs.sort(key=lambda pair: -max((pair[1] & (1 << 32) - 1 if pair[1] < 0 else pair[1]).bit_count(), 1))
    return pairs
