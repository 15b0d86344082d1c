# SPDX-License-Identifier: BSD-2-Clause
"""Damages an image as an image-*.toml file of the corpus says."""

import zlib

from tools.compose import contract

WIDTH = {"H": 2, "I": 4, "Q": 8, "q": 8}
TABLES = {"component": "components_at", "segment": "segments_at", "wire": "wires_at",
          "arg": "args_at", "resource": "resources_at", "channel": "channels_at", "symbol": "symbols_at",
          "unwind": "unwinds_at"}


def place(image, field):
    """(offset, bytes) of "frames", "component.2.entry" or "at 8195"."""
    if field.startswith("at "):
        return int(field[3:]), 1
    parts = field.split(".")
    header = contract.IMAGE["limpet_image"]
    layout = contract.IMAGE[f"limpet_image_{parts[0]}"] if len(parts) == 3 else header
    at = layout.offset(parts[-1])
    if len(parts) == 3:
        at += header.unpack(image)[TABLES[parts[0]]] + int(parts[1]) * layout.size
    kind = next(kind for kind, name in layout.fields if name == parts[-1])
    return at, WIDTH[contract.CODES[kind]]


def read(image, field):
    at, width = place(image, field)
    return int.from_bytes(image[at:at + width], "little")


def write(image, field, value):
    """Values are numbers, or the name of the field whose value is copied."""
    at, width = place(image, field)
    value = read(image, value) if isinstance(value, str) else value
    image[at:at + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")


def fix_crc(image):
    write(image, "crc", 0)
    write(image, "crc", zlib.crc32(image))


def damage(image, rules):
    """The damaged image. `rules`: patch = [{field, value}], size, fix-crc (default true)."""
    image = bytearray(image)
    for patch in rules.get("patch", []):
        write(image, patch["field"], patch["value"])
    if rules.get("fix-crc", True):
        fix_crc(image)
    size = rules.get("size", len(image))
    return bytes(image[:size].ljust(size, b"\0"))
