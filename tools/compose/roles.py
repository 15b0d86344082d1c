# SPDX-License-Identifier: BSD-2-Clause
"""What components get besides their imports, and the rules of one CPU.

The booter gives threads their ids and follows these arguments: dispatch-to, stop-of,
export-port, import-port, import-cpu.
"""

from .contract import VALUES

SINGLE = ("scheduler", "memory", "console")
PORTS = VALUES["LIMPET_PORTS"]
NAMES = {"ports": "ports", "memory": "memory", "interrupts": "interrupt", "pci": "PCI function"}
SLOT = {name[12:].lower(): value for name, value in VALUES.items()
        if name.startswith("LIMPET_SLOT_")}


def has(instance, privilege):
    return privilege in instance.definition.privileges


def number_threads(system):
    """Thread ids, as the booter gives them: 1 and up on each CPU, in the order of the image."""
    for cpu in range(system.cpus):
        threads = [i for i in system.on(cpu) if i.priority]
        for number, instance in enumerate(threads, 1):
            instance.thread = number
        if len(threads) >= VALUES["LIMPET_THREADS_MAX"]:
            threads[-1].table.refuse("cpu", f"CPU {cpu} has {len(threads)} threads, with the "
                                     f"booter's there are at most {VALUES['LIMPET_THREADS_MAX']}, "
                                     "use another CPU")


def check_single(system, cpu):
    for privilege in SINGLE:
        found = [i for i in system.on(cpu) if has(i, privilege)]
        if len(found) > 1:
            found[1].table.refuse("image", f"is a second component with the privilege "
                                  f"'{privilege}' on CPU {cpu} beside '{found[0].name}', there is "
                                  "one on each CPU, remove one")


def check_scheduler(system, cpu):
    found = [i for i in system.on(cpu) if has(i, "scheduler")]
    if system.on(cpu) and not found:
        system.on(cpu)[0].table.refuse("cpu", f"CPU {cpu} has components but no scheduler, exactly "
                                       "one runs its threads, add a component with the privilege "
                                       "'scheduler'")
    if found and not found[0].priority:
        found[0].table.refuse("priority", "is missing, a scheduler runs on a thread of its own, "
                              f"set thread = true in {found[0].definition.file}")


def port(instance, name):
    """A port number in an argument, or None."""
    value = instance.args.get(name)
    if value is not None and (not isinstance(value, int) or not 0 <= value < PORTS):
        instance.table.refuse(f"args/{name}", f"is no port, ports are 0 to {PORTS - 1}, choose one")
    return value


def exported_ports(system):
    """(cpu, port): instance."""
    found = {}
    for i in system.instances:
        number = port(i, "export-port")
        if number is None:
            continue
        if not i.priority:
            i.table.refuse("args/export-port", "is given, but the component has no thread that "
                           "could receive, give it a priority or remove the port")
        other = found.setdefault((i.cpu, number), i)
        if other is not i:
            i.table.refuse("args/export-port", f"{number} is the port of '{other.name}' on CPU "
                           f"{i.cpu} already, a port has one receiver, choose another one")
    return found


def check_import(system, instance, exported):
    number = port(instance, "import-port")
    if number is None:
        return
    cpu = instance.args.get("import-cpu")
    if not isinstance(cpu, int) or not 0 <= cpu < system.cpus or cpu == instance.cpu:
        instance.table.refuse("args/import-cpu", "is not another CPU of the system, import-port "
                              "names a port there, add import-cpu = its number")
    if (cpu, number) not in exported:
        instance.table.refuse("args/import-port", f"nobody on CPU {cpu} has export-port = "
                              f"{number}, events need a receiver, correct one of them")
    instance.port = exported[cpu, number]


def check_dispatch(system, instance):
    name = instance.args.get("dispatch-to")
    if name is None:
        return
    found = [i for i in system.on(instance.cpu) if i.name == name and i.priority]
    if not found:
        instance.table.refuse("args/dispatch-to", f"no component '{name}' with a thread is on CPU "
                              f"{instance.cpu}, it names whose thread is dispatched, correct it")
    instance.dispatch = found[0]


def check_stop(system, instance):
    name = instance.args.get("stop-of")
    if name is None:
        return
    found = [i for i in system.on(instance.cpu) if i.name == name and not i.booter]
    if not found:
        instance.table.refuse("args/stop-of", f"no component '{name}' is on CPU {instance.cpu}, it "
                              "names who may be stopped, correct it")
    instance.stop = found[0]


def resolve(system):
    """Checks the roles, numbers the threads, and finds partners of ports, dispatch and stop."""
    for cpu in range(system.cpus):
        check_single(system, cpu)
        check_scheduler(system, cpu)
    number_threads(system)
    exported = exported_ports(system)
    for instance in system.instances:
        check_import(system, instance, exported)
        check_dispatch(system, instance)
        check_stop(system, instance)


def capabilities(system, instance):
    """[(slot or slots, what)] of a component's table."""
    if instance.booter:
        return [("-", "everything of its CPU, until the others are built")]
    found = [(SLOT["table"], "its own capability table")]
    if instance.priority:
        found.append((SLOT["endpoint"], "endpoint of its own thread"))
    if has(instance, "scheduler"):
        found.append((SLOT["cpu"], "CPU: timer"))
    elif has(instance, "cpu"):
        found.append((SLOT["cpu"], "CPU: all of it"))
    if has(instance, "memory"):
        found.append((SLOT["frames"], "all free frames"))
    if has(instance, "console"):
        found.append((SLOT["channel"], "console channel"))
    if instance.port:
        found.append((SLOT["port"], f"port: events to {instance.port.name}"))
    if instance.stop:
        found.append((SLOT["stop"], f"component {instance.stop.name}"))
    if instance.dispatch:
        found.append((SLOT["free"], f"thread of {instance.dispatch.name}"))
    return found + devices(instance) + gates(instance) + many(system, instance)


def devices(instance):
    """Parts of the machine. How many a PCI function has is known only where it is."""
    found, slot, exact = [], SLOT["resources"], True
    for key, resource in instance.resources:
        found.append((slot if exact and resource.parts == 1 else f"{slot}+",
                      f"{NAMES[key]} {resource.text}"))
        slot, exact = slot + 1, exact and resource.parts == 1
    return found


def gates(instance):
    """One line for each import."""
    found = {}
    for wire in instance.wires:
        found.setdefault(wire.import_name, []).append(wire)
    return [(span([w.slot for w in wires]), f"gates of {wires[0].server.name}: {name}")
            for name, wires in found.items()]


def span(numbers):
    return f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else numbers[0]


def many(system, instance):
    """Capabilities to others' threads and page tables."""
    found, on_cpu = [], system.on(instance.cpu)
    threads = [SLOT["threads"] + i.thread for i in on_cpu if i.thread]
    if has(instance, "scheduler") and threads:
        found.append((span(threads), "threads of its CPU"))
    if has(instance, "memory"):
        tables = [SLOT["page_tables"] + i.index for i in on_cpu]
        found.append((span(tables), "page tables of its CPU's components"))
    return found
