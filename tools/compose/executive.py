# SPDX-License-Identifier: BSD-2-Clause
"""Executives that stack. Import `guest` of an executive names the executive that gets the calls that it passes. The
last one passes to Linux.
"""

from . import link, table
from .contract import VALUES

IMPORT = "guest"
CHAIN = VALUES["LIMPET_GUEST_CHAIN_MAX"]
SERVE = "executive_serve"  # of lib/executive, which is linked into executives only
GUESTS = ("wait", "continue")  # what guests do while their executive restarts, and after the end of the system


def read(t):
    """Returns whether guests continue without their executive."""
    return t.one_of("guests", GUESTS, "wait") == "continue"


def find(instance, by_name):
    """Returns the next executive, or None. Checks what is known before linking."""
    if IMPORT not in instance.imports:
        return None
    t, name = instance.table, instance.imports[IMPORT]
    found = by_name.get(name)
    if not found:
        t.refuse(f"imports/{IMPORT}", f"there is no component '{name}' in this system. {table.near(name, by_name)} "
                 "Correct the name.")
    if found.cpu != instance.cpu:
        t.refuse(f"imports/{IMPORT}", f"'{name}' is on CPU {found.cpu}, but this component is on CPU "
                 f"{instance.cpu}. A guest runs on the CPU of its executives. Choose an executive of the same CPU.")
    return found


def chain(instance):
    """Returns the executives of a guest that starts at this one. They are in order, so the chain ends."""
    found = [instance]
    while found[-1].guest:
        found.append(found[-1].guest)
    return found


def check(system, folders):
    """Marks executives. Checks that all components in chains are executives, that chains are short, and that no executive can
    be replaced."""
    for instance in system.instances:
        instance.executive = SERVE in link.symbols_of(link.object_file(instance, folders))[0]
        if instance.update and instance.executive:
            instance.table.refuse("update", f"is given, but {instance.definition.name} is an executive. Guests enter it at "
                                  "an address of the running build. Remove it.")
        if "guests" in instance.table.data and not instance.executive:
            instance.table.refuse("guests", f"is given, but {instance.definition.name} is not an executive: it does not call "
                                  f"{SERVE}(). Only an executive has guests. Remove it.")
    for instance in (i for i in system.instances if i.guest):
        names = [i.name for i in chain(instance)]
        if len(names) > CHAIN:
            instance.table.refuse(f"imports/{IMPORT}", f"makes a chain of {len(names)} executives: "
                                  f"{' -> '.join(names)}. A guest passes through at most {CHAIN}. Remove some.")
        for i in (instance, instance.guest):
            if not i.executive:
                instance.table.refuse(f"imports/{IMPORT}", f"'{i.name}' ({i.definition.name}) is not an executive: it does "
                                      f"not call {SERVE}(). Guests pass from one executive to the next. Choose an "
                                      "executive or remove the import.")
