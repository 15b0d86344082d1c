# SPDX-License-Identifier: BSD-2-Clause
"""Reads constants and structure layouts from include/limpet/*.h, so that no copy can differ."""

import re
import struct

from .root import ROOT

HEADERS = ROOT / "include" / "limpet"
# A number, or (NUMBER << NUMBER).
CONSTANT = re.compile(r"\(?(0x[0-9a-fA-F]+|\d+)[uUlL]*(?: << (\d+))?\)?")
CODES = {"uint16_t": "H", "uint32_t": "I", "uint64_t": "Q", "int64_t": "q"}


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def constants(text):
    """Returns the values of the plain #define and enum constants of a header."""
    values = {}
    lines = re.findall(r"^#define[ \t]+(LIMPET_\w+)[ \t]+(.+)$", text, re.M)
    lines += re.findall(r"^\s*(LIMPET_\w+) = ([^,\n]+)", text, re.M)
    for name, value in lines:
        match = CONSTANT.fullmatch(value.strip())
        if match:
            values[name] = int(match[1], 0) << int(match[2] or "0", 0)
    return values


class Structure:
    """The layout of a C structure of 16, 32 and 64 bit integers without padding."""

    def __init__(self, name, body):
        self.fields = [(kind, name) for kind, names in re.findall(r"(\w+)\s+(\w+(?:, \w+)*);", body)
                       for name in names.split(", ")]
        self.packer = struct.Struct("<" + "".join(CODES[kind] for kind, _ in self.fields))
        if self.packer.size != struct.calcsize("@" + self.packer.format[1:]):
            raise ValueError(f"struct {name} has padding")
        self.size = self.packer.size

    def pack(self, **values):
        names = [name for _, name in self.fields]
        unknown = set(values) ^ set(names)
        if unknown:
            raise ValueError(f"fields missing or unknown: {sorted(unknown)}")
        return self.packer.pack(*(values[name] for name in names))

    def unpack(self, data, at=0):
        return dict(zip((name for _, name in self.fields), self.packer.unpack_from(data, at)))

    def offset(self, field):
        at = 0
        for kind, name in self.fields:
            if name == field:
                return at
            at += struct.calcsize(CODES[kind])
        raise KeyError(field)


def read(name):
    return strip_comments((HEADERS / name).read_text())


def structures(text, wanted=None):
    """Returns the structures of a header, or the wanted ones of them."""
    found = re.findall(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S)
    return {name: Structure(name, body) for name, body in found if not wanted or name in wanted}


def error_list():
    """Returns the list of errors: [(name, number, text)]."""
    text = (HEADERS / "error.h").read_text()
    return re.findall(r'X\((E\w+), (\d+), "([^"]+)"\)', text)


def errors():
    """Returns the names and texts of the list of errors."""
    return {name: text for name, _, text in error_list()}


VALUES = {}
for header in ("limits.h", "call.h", "image.h", "component.h", "channel.h", "update.h"):
    VALUES.update(constants(read(header)))
IMAGE = structures(read("image.h"))
COMPONENT_INFO = structures(read("component.h"), {"limpet_info_supervised"})
ERRORS = errors()
