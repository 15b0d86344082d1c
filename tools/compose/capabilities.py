# SPDX-License-Identifier: BSD-2-Clause
"""Lists the capabilities that components get besides their imports, by slot, in the order of the booter."""

from . import component, policy, scheduling
from .contract import VALUES
from .roles import CLIENTS, MEMORY, has

NAMES = {"ports": "ports", "memory": "memory", "interrupts": "interrupt", "pci": "PCI function"}
SLOT = {name[12:].lower(): value for name, value in VALUES.items()
        if name.startswith("LIMPET_SLOT_")}


def of(system, instance):
    """Returns [(slot or slots, what)] of a component's table."""
    if instance.booter:
        return [("-", "everything of its CPU, until the others are built")]
    return own(instance) + gates(instance) + channels(instance) + devices(instance) + scheduled(system, instance) + \
        page_tables(system, instance) + supervised(system, instance) + clients(system, instance)


def own(instance):
    found = [(SLOT["table"], "its own capability table")]
    if instance.priority:
        found.append((SLOT["endpoint"], "endpoint of its own thread"))
    if has(instance, "scheduler") and not instance.scheduler:
        found.append((SLOT["cpu"], "CPU: timer"))
    elif has(instance, "cpu"):
        found.append((SLOT["cpu"], "CPU: all of it"))
    if has(instance, MEMORY):
        giver = instance.manager
        found.append((SLOT["frames"],
                      f"frames of {giver.name}'s" if giver else "all free frames"))
    if has(instance, "console"):
        found.append((SLOT["channel"], "console channel"))
    if has(instance, component.SUPERVISOR):
        found.append((SLOT["channel"], "channel of crash records"))
    if instance.port:
        found.append((SLOT["port"], f"port: events to {instance.port.name}"))
    if instance.stop:
        found.append((SLOT["stop"], f"component {instance.stop.name}, to stop it"))
    if instance.dispatch:
        found.append((SLOT["free"], f"thread of {instance.dispatch.name}"))
    return found


def channels(instance):
    """Returns the channels of the system file, one line each."""
    return [(SLOT["first"] + len(instance.wires) + n, f"channel {c.number}: {c.node}")
            for n, c in enumerate(instance.channels)]


def devices(instance):
    """Returns the resources of the machine. The number of resources of a PCI function is known only on that machine."""
    found, slot, exact = [], SLOT["first"] + len(instance.wires) + len(instance.channels), True
    for key, resource in instance.resources:
        found.append((slot if exact and resource.parts == 1 else f"{slot}+",
                      f"{NAMES[key]} {resource.text}"))
        slot, exact = slot + 1, exact and resource.parts == 1
    return found


def gates(instance):
    """Returns one line for each import."""
    found = {}
    for wire in instance.wires:
        found.setdefault(wire.import_name, []).append(wire)
    return [(spans([w.slot for w in wires]), f"gates of {wires[0].server.name}: {name}")
            for name, wires in found.items()]


def spans(numbers):
    """Returns the numbers as text, such as "3-5, 8"."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in runs)


def line(slot, numbers, what):
    """Returns a line, or no line without numbers."""
    return [(spans([SLOT[slot] + n for n in sorted(numbers)]), what)] if numbers else []


def scheduled(system, instance):
    if not has(instance, "scheduler"):
        return []
    nested = [i.thread for i in scheduling.nested(system, instance)]
    return line("threads", [instance.thread, *scheduling.threads(system, instance)],
                "its own thread and those that it schedules") + \
        line("endpoints", nested, "events to the schedulers among these")


def page_tables(system, instance):
    if not has(instance, MEMORY):
        return []
    served = [i for i in system.on(instance.cpu) if i.manager is instance]
    return line("page_tables", [i.index for i in [instance, *served]],
                "page tables of those that it serves") + \
        line("tables", [i.index for i in served if has(i, MEMORY)],
             "tables of the memory managers among these")


def supervised(system, instance):
    """Returns all capabilities that restart its components."""
    if not has(instance, component.SUPERVISOR):
        return []
    found = policy.supervised(system, instance)
    indices = [i.index for i in found]
    schedulers = {i.scheduler.thread for i in found if i.scheduler}
    roots = [i for i in system.on(instance.cpu) if has(i, "scheduler") and not i.scheduler]
    return [(SLOT["stop"], f"component {i.name}, to end the system") for i in roots] + \
        line("threads", {id for i in found for id in [i.thread, *i.spares] if id} |
             {i.thread for i in roots}, "threads of those that it supervises, and of the first "
             "scheduler") + \
        line("spaces", indices, "their page tables") + \
        line("endpoints", schedulers, "endpoints of their schedulers") + \
        line("components", indices, "these components: stop them, start threads, handle faults")


def clients(system, instance):
    """Returns the components that import from it. It can read whether they were stopped."""
    if not has(instance, CLIENTS):
        return []
    return line("components", {i.index for i in system.on(instance.cpu)
                               if any(w.server is instance for w in i.wires)},
                "who imports from it, without rights: whether they were stopped")
