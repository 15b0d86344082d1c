# SPDX-License-Identifier: BSD-2-Clause
"""Collects data for backtraces: functions by address, and the offset from rsp to the caller's frame.

Components use no frame pointer. The compiler describes the frame in .eh_frame or .debug_frame, which are not
loaded. Assembly without CFI, and functions that move rsp by a computed amount, have no usable description.
"""

import os
import re
import subprocess

from elftools.elf.elffile import ELFFile

from . import rust
from .contract import VALUES
from .errors import Refused

NAME_MAX = VALUES["LIMPET_SYMBOL_NAME_MAX"] - 1
UNKNOWN = VALUES["LIMPET_UNWIND_UNKNOWN"]
FRAME_MAX = 1 << 20
PADDING = 16  # functions start at multiples of this; there is no code in between
#: Lines of readelf.
ENTRY = re.compile(r"(?P<offset>[0-9a-f]{8,16}) [0-9a-f]+ [0-9a-f]+ "
                   r"(CIE|FDE cie=(?P<cie>[0-9a-f]+) pc=(?P<start>[0-9a-f]+)\.\.(?P<end>[0-9a-f]+))")
ROW = re.compile(r"(?P<address>[0-9a-f]{16}) (?P<rule>\S+)")


def functions(elf, base, end):
    """Returns [(offset, name)] of functions in [base, end), by offset. Of several names it takes the first in
    alphabetical order.
    """
    table = elf.get_section_by_name(".symtab")
    found = {}
    for symbol in table.iter_symbols() if table else []:
        offset = symbol["st_value"] - base
        if symbol["st_info"]["type"] == "STT_FUNC" and 0 <= offset < end - base and symbol.name:
            name = rust.plain_name(symbol.name)[:NAME_MAX]
            found[offset] = min(found.get(offset, name), name)
    return sorted(found.items())


def frame_of(rule):
    """Returns the bytes from rsp to the caller's frame, from a rule such as rsp+16."""
    register, _, offset = rule.partition("+")
    plain = register == "rsp" and offset.isdigit() and int(offset) % 8 == 0 and 0 < int(offset) <= FRAME_MAX
    return int(offset) if plain else UNKNOWN


def dump(path):
    """Returns what readelf prints for both sections: after the line of a CIE or FDE a row for each change of the frame."""
    done = subprocess.run(["readelf", "-wF", path], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode or done.stderr:
        raise Refused(path, "object", f"The object has unusable unwind tables: "
                      f"{(done.stderr or 'damaged').splitlines()[0]}. Build it again.")
    return done.stdout.splitlines()


def rows(path):
    """Returns {first address: (end address, [(address, frame)])} of all functions with a description.

    A function without rows has one frame from its first address on, which its CIE describes.
    """
    found, common, table = {}, {}, []
    for line in dump(path):
        entry, row = ENTRY.match(line), ROW.match(line)
        if entry and entry["cie"]:
            start, end = int(entry["start"], 16), int(entry["end"], 16)
            table = [(start, frame) for _, frame in common[entry["cie"]][-1:]]
            if end > start:
                found[start] = (end, table)
        elif entry:
            table = common[entry["offset"]] = []
        elif row:
            address = int(row["address"], 16)
            table[:] = [known for known in table if known[0] != address] + [(address, frame_of(row["rule"]))]
    return found


def unwinds(path, base, end):
    """Returns [(offset, frame)], by offset. Each applies up to the next one."""
    flat = []
    for start, (stop, table) in sorted(rows(path).items()):
        if flat and flat[-1][0] + PADDING > start:
            flat.pop()  # what ended there is followed by this
        flat += [*table, (stop, UNKNOWN)]
    kept, last = [], UNKNOWN
    for address, frame in flat:
        if kept and kept[-1][0] == address - base:
            kept.pop()
            last = kept[-1][1] if kept else UNKNOWN
        if frame != last and base <= address < end:
            kept.append((address - base, frame))
            last = frame
    return kept


def read(path, base, end):
    """Returns functions and frames of a linked file's code in [base, end)."""
    with open(path, "rb") as file:
        return functions(ELFFile(file), base, end), unwinds(path, base, end)
