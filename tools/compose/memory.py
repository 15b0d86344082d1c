# SPDX-License-Identifier: BSD-2-Clause
"""Counts the frames of a system as booter and kernel do.

See components/system/booter/plan.c and kernel/boot.c. The result is a minimum. It does not contain memory that
the memory manager maps at run time, and page tables for that memory and for device registers. The initial
memory of mem is counted as in components/system/mem/client.c.
"""

from dataclasses import dataclass

from . import component, policy, roles
from .contract import COMPONENT_INFO, VALUES
from .link import PAGE, align

PAGE_TABLE, COMPONENT, THREAD, ENDPOINT, CHANNEL = 2, 1, 2, 1, 17
SLOTS_A_FRAME = 64
SUPERVISED = COMPONENT_INFO["limpet_info_supervised"].size
# Where the slots of a privilege end.
TABLE_ENDS = {"memory": "COUNT", "scheduler": "COMPONENTS", "supervisor": "TABLES", "clients": "TABLES"}
SPACE_FACTOR = 4           # pages of a client's window, for each of its quota
WINDOW_PAGES = 1 << 18     # at most
BOOTER = 45  # kernel objects of the booter itself: page tables, 16 of table, component, thread


@dataclass
class Need:
    """Frames of one component."""

    contents: int
    heap: int
    stacks: int
    kernel: int
    kept: int = 0   # checkpoints of those that it supervises
    quota: int = 0  # pages; what the memory manager may map in it, not part of the total

    @property
    def total(self):
        return self.contents + self.heap + self.stacks + self.kernel + self.kept


def touched(ranges, shift):
    """Page tables that map 1 << shift bytes each, needed for the ranges."""
    return len({table for start, size in ranges if size
                for table in range(start >> shift, ((start + size - 1) >> shift) + 1)})


def writable(instance):
    """Pages that a checkpoint of it has: writable segments and heap."""
    place, write = instance.layout, VALUES["LIMPET_WRITE"]
    return (sum(s.size for s in place.segments if s.rights & write) + place.heap_size) // PAGE


def pages_behind(system, instance):
    """(pages of its second info page, pages of checkpoints)"""
    if roles.has(instance, "memory"):
        return 1, 0
    found = policy.supervised(system, instance)
    if not roles.has(instance, component.SUPERVISOR) or not found:
        return 0, 0
    return align(len(found) * SUPERVISED) // PAGE, sum(map(writable, found))


def served(instance):
    """Whether a memory manager may map something in it, as a manager in itself."""
    return not instance.booter and (roles.has(instance, roles.MEMORY) or instance.manager)


def page_tables(instance, stacks):
    place = instance.layout
    ranges = [(s.address, s.size) for s in place.segments]
    ranges += [(place.heap, place.heap_size), (place.info, PAGE), (place.stacks, stacks)]
    return sum(touched(ranges, shift) for shift in (21, 30, 39)) + 1


def table_frames(instance):
    slots = VALUES["LIMPET_SLOT_FIRST"] + len(instance.wires)
    for privilege, end in TABLE_ENDS.items():
        if roles.has(instance, privilege):
            slots = max(slots, VALUES[f"LIMPET_SLOT_{end}"])
    return align(slots + 1, SLOTS_A_FRAME) // SLOTS_A_FRAME


def need(system, instance):
    """Frames of one component; each thread of its CPU and the booter's has a stack in it."""
    place = instance.layout
    contents = sum(s.size for s in place.segments) // PAGE
    stack = (1 << place.stack_shift) // PAGE - 1
    if instance.booter:
        return Need(contents, place.heap_size // PAGE, stack, BOOTER)
    stacks = 1 + system.threads(instance.cpu)
    kernel = PAGE_TABLE + page_tables(instance, stacks << place.stack_shift)
    kernel += table_frames(instance) + COMPONENT + THREAD * instance.threads
    kernel += THREAD + ENDPOINT if instance.priority else 0
    channels = sum(CHANNEL for name in roles.CHANNELS if roles.has(instance, name))
    if instance.channels:
        channels += 1 + sum(c.pages for c in instance.channels)
    second, kept = pages_behind(system, instance)
    return Need(contents + 1 + channels + second, place.heap_size // PAGE, stacks * stack, kernel,
                kept, instance.quota if served(instance) else 0)


def needs(system, cpu):
    """[(instance, Need)] of all on one CPU, the booter among them."""
    return [(i, need(system, i)) for i in [system.booter, *system.on(cpu)]]


def beginning(system, manager):
    """Frames that a memory manager has to have at its beginning: records of whom it serves, and what the
    managers among these get from it."""
    frames = 0
    for client in system.on(manager.cpu):
        if client.manager is not manager or not client.quota:
            continue
        pages = min(client.quota * SPACE_FACTOR, WINDOW_PAGES)
        frames += align(pages * 4 + align(pages, 64) // 8, PAGE) // PAGE
        frames += client.quota if roles.has(client, roles.MEMORY) else 0
    return frames


def check_managers(system, cpu, free):
    """That none of them finds out at boot that it has too little."""
    for manager in (i for i in system.on(cpu) if roles.has(i, roles.MEMORY)):
        wanted, have = beginning(system, manager), manager.quota if manager.manager else free
        if wanted <= have:
            continue
        where = (manager.table, "quota") if manager.manager else (system.table, "frames")
        where[0].refuse(where[1], f"leaves memory manager '{manager.name}' {have * PAGE // 1024}K, it needs "
                        f"{wanted * PAGE // 1024}K to begin: for records of those that it serves, and "
                        f"quotas of memory managers among them, give {(wanted - have) * PAGE // 1024}K more")


def check(system):
    for cpu in range(system.cpus):
        total = sum(n.total for _, n in needs(system, cpu))
        if total > system.frames:
            system.table.refuse("frames", f"is {system.frames * PAGE // 1024}K, the components of "
                                f"CPU {cpu} need {total * PAGE // 1024}K, give it at least "
                                f"{-(-total * PAGE >> 20)}M or make them smaller")
        check_managers(system, cpu, system.frames - total)
