# SPDX-License-Identifier: BSD-2-Clause
"""Collects data for backtraces: functions by address, and the offset from rsp to the caller's frame.

Components use no frame pointer. The compiler describes the frame in .eh_frame or .debug_frame, which are not
loaded. Assembly without CFI, and functions that move rsp by a computed amount, have no usable description.
"""

from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

from .contract import VALUES
from .errors import Refused

NAME_MOST = VALUES["LIMPET_SYMBOL_NAME_MAX"] - 1
UNKNOWN = VALUES["LIMPET_UNWIND_UNKNOWN"]
FRAME_MOST = 1 << 20
RSP = 7
PADDING = 16  # functions start at multiples of this; there is no code in between


def functions(elf, base, end):
    """Returns [(offset, name)] of functions in [base, end), by offset. Of several names it takes the first in
    alphabetical order.
    """
    table = elf.get_section_by_name(".symtab")
    found = {}
    for symbol in table.iter_symbols() if table else []:
        offset = symbol["st_value"] - base
        if symbol["st_info"]["type"] == "STT_FUNC" and 0 <= offset < end - base and symbol.name:
            name = symbol.name[:NAME_MOST]
            found[offset] = min(found.get(offset, name), name)
    return sorted(found.items())


def frame_of(rule):
    """Returns the bytes from rsp to the caller's frame."""
    plain = rule.expr is None and rule.reg == RSP and rule.offset % 8 == 0 and \
        0 < rule.offset <= FRAME_MOST
    return rule.offset if plain else UNKNOWN


def entries(elf):
    """Returns all descriptions of functions, from both sections."""
    info = elf.get_dwarf_info(relocate_dwarf_sections=False)
    found = info.EH_CFI_entries() if info.has_EH_CFI() else []
    found += info.CFI_entries() if info.has_CFI() else []
    return [e for e in found if isinstance(e, FDE) and e["address_range"]]


def rows(elf):
    """Returns {first address: (end address, [(address, frame)])} of all functions with a usable description."""
    found = {}
    for entry in entries(elf):
        start = entry["initial_location"]
        table = [(row["pc"], frame_of(row["cfa"])) for row in entry.get_decoded().table]
        found[start] = (start + entry["address_range"], table)
    return found


def unwinds(elf, base, end):
    """Returns [(offset, frame)], by offset. Each applies up to the next one."""
    flat = []
    for start, (stop, table) in sorted(rows(elf).items()):
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
        elf = ELFFile(file)
        try:
            return functions(elf, base, end), unwinds(elf, base, end)
        except Exception as error:  # pyelftools raises many exceptions for invalid files
            raise Refused(path, "object", f"has unusable unwind tables, {error or 'damaged'}, build "
                          "it again") from None
