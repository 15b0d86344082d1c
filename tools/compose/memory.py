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

CHANNEL = 17
SLOT = VALUES["LIMPET_SLOT_SIZE"]
PACKED = 4  # frames that the booter fills with kernel objects simultaneously
SUPERVISED = COMPONENT_INFO["limpet_info_supervised"].size
# Bytes of a thread with a vector state of AVX-512, and of each nested invocation.
THREAD_BYTES, INVOCATION_BYTES = 3584, 32
THREAD_RECORD, QUOTA_RECORD = 16, 4  # struct limpet_info_thread, struct limpet_info_memory
INFO_PAGES = VALUES["LIMPET_INFO_PAGES"]
SPACE_FACTOR = 4           # pages of a client's window, for each of its quota
WINDOW_PAGES = 1 << 18     # maximum
BOOTER_FRAMES = 29  # kernel objects of the booter itself: page tables, component, thread
PART_BYTES = 256    # bytes that it records for a component or thread


@dataclass
class Need:
    """The frames of one component."""

    contents: int
    heap: int
    stacks: int
    kernel: int
    kept: int = 0   # checkpoints of the components that it supervises
    quota: int = 0  # pages that the memory manager may map in it; not part of the total

    @property
    def total(self):
        return self.contents + self.heap + self.stacks + self.kernel + self.kept


def touched(ranges, shift):
    """Returns the number of page tables, each of which maps 1 << shift bytes, that the ranges need."""
    return len({table for start, size in ranges if size
                for table in range(start >> shift, ((start + size - 1) >> shift) + 1)})


def writable(instance):
    """Returns the pages of its checkpoint: writable segments and heap."""
    place, write = instance.layout, VALUES["LIMPET_WRITE"]
    return (sum(s.size for s in place.segments if s.rights & write) + place.heap_size) // PAGE


def replaceable(instance):
    """Returns the pages that the supervisor has for another build: three parts, and the initial data of the running build."""
    return 4 * instance.update // PAGE


def pages_behind(system, instance):
    """Returns (pages of tables for its role, pages of checkpoints)."""
    if roles.has(instance, "memory"):
        return align(len(system.instances) * QUOTA_RECORD) // PAGE, 0
    found = policy.supervised(system, instance)
    if not roles.has(instance, component.SUPERVISOR) or not found:
        return 0, 0
    return align(len(found) * SUPERVISED) // PAGE, sum(writable(i) + replaceable(i) for i in found)


def served(instance):
    """Returns whether a memory manager may map memory in it, which includes managers themselves."""
    return not instance.booter and (roles.has(instance, roles.MEMORY) or instance.manager)


def page_tables(instance, ids):
    """Returns the number of page tables. `ids` are the threads that have a stack in it."""
    place, size = instance.layout, 1 << instance.layout.stack_shift
    ranges = [(s.address, s.size) for s in place.segments]
    ranges += [(place.heap, place.heap_size), (place.info, INFO_PAGES * PAGE)]
    own = {instance.thread, *instance.spares}
    if instance.stacks:
        ranges += [(place.stacks, align(place.stack_count * size)),
                   (place.pool, instance.pool_total << place.pool_shift)]
    elif own.issuperset(ids):
        ranges += [(place.stacks + id * size, size) for id in (0, *ids)]
    else:
        ranges.append((place.stacks, place.stack_count * size))
    return sum(touched(ranges, shift) for shift in (21, 30, 39)) + 1


def reach(system, home):
    """Returns the components that threads of `home` can reach: itself, components that it can invoke, handlers of
    faults, and components that a supervisor on the way restarts. The same as components/system/booter/stack.c."""
    found = {home: None}  # in order
    queue = [home]
    for at in queue:
        ways = [w.server for w in at.wires] + [at.faults]
        if roles.has(at, component.SUPERVISOR):
            ways += policy.supervised(system, at)
        new = dict.fromkeys(i for i in ways if i and i not in found)
        queue += new
        found.update(new)
    return queue


def stacks(system, cpu):
    """Returns the ids of the threads that have a stack, by component. The booter's thread, 0, uses the first stack in
    each component. It has its own stack only in a component without another one.
    """
    ids = {i: [] for i in system.on(cpu)}
    for home in system.on(cpu):
        own = [id for id in [home.thread, *home.spares] if id]
        for at in reach(system, home) if own else []:
            ids[at] += own
    return {i: found or [0] for i, found in ids.items()}


def stack_pages(instance, ids):
    """Returns the pages of the stacks of the threads `ids` in it. The lowest page of each stack is a guard, which is
    not mapped. With a pool the threads have entry stacks, which share pages.
    """
    place = instance.layout
    if not instance.stacks:
        return len(ids) * ((1 << place.stack_shift) // PAGE - 1)
    entry = {(id << place.stack_shift) // PAGE for id in (0, *ids)}
    return len(entry) + instance.pool_total * ((1 << place.pool_shift) // PAGE - 1)


def slots(system, instance):
    """Returns the number of slots that a component's role needs."""
    count = len(system.instances)

    def several(role):
        return sum(roles.has(i, role) for i in system.on(instance.cpu)) > 1
    resources = VALUES["LIMPET_INFO_RESOURCES"] if instance.resources else 0
    ends = [VALUES["LIMPET_SLOT_FIRST"] + len(instance.wires) + len(instance.channels) + resources]
    if roles.has(instance, "memory"):
        ends.append(VALUES["LIMPET_SLOT_TABLES" if several("memory") else "LIMPET_SLOT_PAGE_TABLES"] + count)
    if roles.has(instance, "scheduler"):
        ends.append(VALUES["LIMPET_SLOT_ENDPOINTS" if several("scheduler") else "LIMPET_SLOT_THREADS"] +
                    1 + system.threads(instance.cpu))
    if roles.has(instance, "clients"):
        ends.append(VALUES["LIMPET_SLOT_COMPONENTS"] + count)
    if roles.has(instance, "supervisor"):
        ends.append(VALUES["LIMPET_SLOT_SPACES"] + count)
    return max(ends)


class Packing:
    """Packs kernel objects into frames, like object_place() of the booter."""

    def __init__(self):
        self.left = [0] * PACKED

    def place(self, size):
        """Returns how many fresh frames an object of `size` bytes takes."""
        size = align(size, VALUES["LIMPET_OBJECT_ALIGN"])
        at = next((at for at, left in enumerate(self.left) if left >= size), None)
        if at is not None:
            self.left[at] -= size
            return 0
        self.left[self.left.index(min(self.left))] = align(size) - size
        return align(size) // PAGE


def objects(system, instance):
    """Returns the bytes of the kernel objects of a component, in the order in which the booter makes them. Those of a
    thread are a maximum, because the size of the vector state depends on the processor.
    """
    thread = THREAD_BYTES + (system.depth + 1) * INVOCATION_BYTES
    own = [thread, VALUES["LIMPET_ENDPOINT_SIZE"]] if instance.priority else []
    return [VALUES["LIMPET_PAGE_TABLE_SIZE"], (1 + slots(system, instance)) * SLOT,
            VALUES["LIMPET_COMPONENT_SIZE"], *[thread] * len(instance.spares), *own]


def booter_frames(system, cpu):
    """Returns the frames of the booter on a CPU: its kernel objects, with the slots that kernel/boot.c gives it; its
    records; and the table of threads, which all components can read.
    """
    on, threads = len(system.on(cpu)), system.threads(cpu)
    table = align((on * VALUES["LIMPET_BOOT_COMPONENT_SLOTS"] +
                   threads * VALUES["LIMPET_BOOT_THREAD_SLOTS"] +
                   VALUES["LIMPET_BOOT_SLOTS"]) * SLOT) // PAGE
    notes = align((on + threads + len(system.instances)) * PART_BYTES) // PAGE
    return BOOTER_FRAMES + table + notes + align((1 + threads) * THREAD_RECORD) // PAGE


def need(system, instance, cpu, ids, packing):
    """Returns the frames of one component of a CPU, in which the threads `ids` have a stack. Segments that are not
    writable are mapped from the image, except those of the booter and of components that can be replaced.
    """
    place = instance.layout
    contents = sum(s.size for s in place.segments
                   if instance.booter or instance.update or s.rights & VALUES["LIMPET_WRITE"]) // PAGE
    if instance.booter:
        return Need(contents, place.heap_size // PAGE, stack_pages(instance, [0]), booter_frames(system, cpu))
    kernel = 1 + page_tables(instance, ids) + sum(map(packing.place, objects(system, instance)))
    channels = sum(CHANNEL for name in roles.CHANNELS if roles.has(instance, name))
    if instance.channels:
        channels += 1 + sum(c.pages for c in instance.channels)
    second, kept = pages_behind(system, instance)
    return Need(contents + 1 + channels + second, place.heap_size // PAGE, stack_pages(instance, ids),
                kernel, kept, instance.quota if served(instance) else 0)


def needs(system, cpu):
    """Returns [(instance, Need)] of all components of one CPU, including the booter."""
    ids, packing = stacks(system, cpu), Packing()
    return [(i, need(system, i, cpu, ids.get(i), packing)) for i in [system.booter, *system.on(cpu)]]


def beginning(system, manager):
    """Returns the frames that a memory manager needs at its start: records of its clients, and the frames that it
    gives to memory managers among them.
    """
    frames = 0
    for client in system.on(manager.cpu):
        if client.manager is not manager or not client.quota:
            continue
        pages = min(client.quota * SPACE_FACTOR, WINDOW_PAGES)
        frames += align(pages * 4 + align(pages, 64) // 8, PAGE) // PAGE
        frames += client.quota if roles.has(client, roles.MEMORY) else 0
    return frames


def check_managers(system, cpu, free):
    """Checks that each memory manager has enough frames to start."""
    for manager in (i for i in system.on(cpu) if roles.has(i, roles.MEMORY)):
        wanted, have = beginning(system, manager), manager.quota if manager.manager else free
        if wanted <= have:
            continue
        where = (manager.table, "quota") if manager.manager else (system.table, "frames")
        where[0].refuse(where[1], f"leaves {have * PAGE // 1024}K for memory manager '{manager.name}'. The manager "
                        "needs "
                        f"{wanted * PAGE // 1024}K to start: for records of its clients, and for quotas of memory "
                        f"managers among them. Give {(wanted - have) * PAGE // 1024}K more.")


def check(system):
    for cpu in range(system.cpus):
        total = sum(n.total for _, n in needs(system, cpu))
        if total > system.frames:
            system.table.refuse("frames", f"is {system.frames * PAGE // 1024}K. The components of "
                                f"CPU {cpu} need {total * PAGE // 1024}K. Write at least "
                                f"{-(-total * PAGE >> 20)}M, or make the components smaller.")
        check_managers(system, cpu, system.frames - total)
