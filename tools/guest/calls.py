# SPDX-License-Identifier: BSD-2-Clause
"""The calls: prototypes from the headers, kinds from lib/guest/calls.toml."""

import re
from dataclasses import dataclass, field

from . import kinds
from .kinds import Wrong

NOT_IMPLEMENTED = "sys_ni_syscall"
REGISTERS = 6


@dataclass
class Variant:
    by: str | None
    mask: str
    value: str
    shown: list
    returns: tuple


@dataclass
class Call:
    name: str
    number: int
    implemented: bool
    types: list                 # (C type, name) of each argument
    arguments: list = field(default_factory=list)
    variants: list = field(default_factory=list)
    returns: tuple = ("error", None)

    def index(self, name):
        for index, (_, argument) in enumerate(self.types):
            if argument == name:
                return index
        raise Wrong(f"'{self.name}' has no argument '{name}'. It has "
                    f"{', '.join(a for _, a in self.types) or 'none'}. Correct it.")


def parameters(text):
    """Returns [(C type, name)] of a prototype's parameters."""
    if text in ("void", ""):
        return []
    found = []
    for part in text.split(","):
        c_type, name = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", part).groups()
        found.append((re.sub(r"\s*\*\s*", " *", c_type).replace("* *", "**").strip(), name))
    return found


def returns_of(text, known):
    word, _, of = text.partition(" ")
    if word not in kinds.RETURNS or (kinds.RETURNS[word] is None) == bool(of) or of and of not in known["set"]:
        raise Wrong(f"'{text}' is not a kind of result. Use one of: {', '.join(kinds.RETURNS)}. Correct it.")
    return word, of or None


def argument_of(call, index, text, known):
    c_type, name = call.types[index]
    value = kinds.Value(name, "", index, size=kinds.type_bytes(c_type))
    kinds.read(text, known, value)
    if value.link and value.link != "result" and not value.link.isdigit():
        call.index(value.link)
    if value.only:
        call.index(value.only[0])
    return value


def default_of(call, index, data):
    c_type, name = call.types[index]
    # Arguments of some names have the type unsigned long in some prototypes.
    return data["names"].get(name) or data["types"].get(c_type) or kinds.plain_kind(c_type)


def read_arguments(call, data, known):
    table = data["calls"].get(call.name, {})
    for name in table:
        call.index(name)
    call.arguments = [argument_of(call, index, table.get(name) or default_of(call, index, data), known)
                      for index, (_, name) in enumerate(call.types)]


def read_shown(call, text, known):
    """Returns one printed argument of a variant, or None if this call has no such argument."""
    words, _, kind = text.partition(":")
    label, _, name = words.rpartition("=")
    index = call.index(name)
    value = argument_of(call, index, kind.strip(), known) if kind else kinds.Value(**vars(call.arguments[index]))
    if label:
        value.name, value.label = label, True
    return value


def read_variants(table, calls, known):
    for name in table["calls"]:
        if name not in calls:
            raise Wrong(f"there is no call '{name}'. Correct it.")
        call = calls[name]
        by = table.get("by")
        if by:
            call.index(by)
        names = {argument for _, argument in call.types}
        shown = [read_shown(call, text, known) for text in table["shown"]
                 if len(table["calls"]) == 1 or text.partition(":")[0] in names]
        returns = returns_of(table["returns"], known) if "returns" in table else call.returns
        for value in table.get("values", ["0"]):
            call.variants.append(Variant(by, table.get("mask", "-1") if by else "0", value, shown, returns))


def read(headers, data, known):
    """Returns {name: Call} in the order of the numbers. Raises Wrong for an entry that fits no call."""
    prototypes = headers.prototypes()
    calls = {}
    for name, (number, function) in sorted(headers.numbers().items(), key=lambda item: item[1]):
        implemented = function != NOT_IMPLEMENTED
        text = data["prototypes"].get(name) or prototypes.get(function)
        if text is None:
            raise Wrong(f"'{name}' has no prototype in the headers. Add it to [prototypes].")
        calls[name] = Call(name, number, implemented, parameters(text) if implemented else [])
    for part in ("prototypes", "calls"):
        for name in data[part]:
            if name not in calls:
                raise Wrong(f"[{part}] has '{name}', which is not a call. Correct or remove it.")
    for call in calls.values():
        read_arguments(call, data, known)
    for text, names in data["returns"].items():
        for name in names:
            if name not in calls:
                raise Wrong(f"[returns] has '{name}', which is not a call. Correct or remove it.")
            calls[name].returns = returns_of(text, known)
    for table in data["variant"]:
        read_variants(table, calls, known)
    return calls


def expressions(calls):
    found = []
    for call in calls.values():
        for value in call.arguments + [value for variant in call.variants for value in variant.shown]:
            found += [value.only[1]] if value.only else []
        for variant in call.variants:
            found += [variant.mask, variant.value]
    return found
