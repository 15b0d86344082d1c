# SPDX-License-Identifier: BSD-2-Clause
"""Checks components that can be replaced while the system runs, and makes their tables of entries.

A new build has its parts at the same addresses as the old one, because `update` sets the size of each part.
Other components invoke it through the table at the beginning of its code, so their gates stay valid.
"""

import zlib

from .contract import VALUES
from .interface import identity

PAGE = VALUES["LIMPET_PAGE"]
SIZE_LIMIT = 1 << 20
KEY = "update"
#: Bytes of an entry of the table. The first entry has the identity of the interfaces instead of a jump.
ENTRY = VALUES["LIMPET_UPDATE_ENTRY"]
JUMP = "BYTE(0xe9) LONG(ABSOLUTE({symbol}) - ABSOLUTE(.) - 4) BYTE(0xcc) SHORT(0xcccc)"


def read(t):
    """Returns the bytes that are reserved for each part, or 0 if the component cannot be replaced."""
    return t.size(KEY, "0", 0, SIZE_LIMIT, PAGE)


def refusal(instance):
    """Returns why a component cannot be replaced, and what to do, or None."""
    definition = instance.definition
    if not instance.supervisor:
        return "the component's faults do not reach a supervisor, which would replace it. Add faults = \"its name\"."
    if not instance.policy.restarts:
        return ("the component is not restarted. An update restarts it. "
                "Add restart = \"checkpoint\" or \"image\".")
    if definition.libc:
        return "the component is a program with a C library. Only other components can be replaced. Remove the key."
    if definition.privileges:
        return "the component has privileges. Other components depend on its state. Remove the key."
    return None


def resolve(system, definitions):
    """Checks components that can be replaced, and lists their entries. `definitions` finds an interface by its name."""
    for instance in (i for i in system.instances if i.update):
        if reason := refusal(instance):
            instance.table.refuse(KEY, f"is given, but {reason}")
        exports = [definitions(instance, name, name) for name in instance.definition.exports]
        instance.entries = [f"__limpet_export_{e.name}_{f.name}" for e in exports for f in e.functions]
        imported = {w.import_name: definitions(instance, w.import_name, w.interface) for w in instance.wires}
        instance.identity = zlib.crc32("\n".join(
            [f"exports {e.name} {identity(e)}" for e in exports] +
            [f"imports {name} {e.name} {identity(e)}" for name, e in imported.items()]).encode())


def table(instance, start):
    """Returns the linker's statements for the table of entries, whose first jump leads to `start`."""
    jumps = [JUMP.format(symbol=symbol) for symbol in [start, *instance.entries]]
    return f"LONG({VALUES['LIMPET_UPDATE_MAGIC']:#x}) LONG({instance.identity:#x}) " + "\n\t\t".join(jumps)


def entry(instance, symbol, start):
    """Returns the address of an entry in the table."""
    return instance.layout.segments[0].address + ENTRY * (1 + [start, *instance.entries].index(symbol))
