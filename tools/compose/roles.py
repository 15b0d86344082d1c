# SPDX-License-Identifier: BSD-2-Clause
"""The rules of one CPU's roles, and the arguments that the booter follows: dispatch-to, stop-of,
export-port, import-port, import-cpu.
"""

from .contract import VALUES

SINGLE = ("console", "supervisor")
MEMORY = "memory"  # privilege of memory managers
MEM = "mem"        # their interface
CLIENTS = "clients"  # privilege of components that can read whether their clients were stopped
CHANNELS = ("console", "supervisor")
PORTS = VALUES["LIMPET_PORTS"]


def has(instance, privilege):
    return privilege in instance.definition.privileges


def manager_of(instance):
    """Returns its memory manager: the server of its import of interface mem, otherwise the handler of its faults if
    that is a memory manager. Returns None if it has no memory manager.
    """
    asked = [w.server for w in instance.wires if w.interface == MEM]
    handler = [] if has(instance, MEMORY) else [instance.faults]
    return next((i for i in asked + handler if i and has(i, MEMORY)), None)


def check_memory(system, cpu):
    """Checks that one manager has all frames. The others get theirs from a manager before them."""
    found = [i for i in system.on(cpu) if has(i, MEMORY) and not i.manager]
    if len(found) > 1:
        found[1].table.refuse("image", f"'{found[1].name}' is the second component with the privilege '{MEMORY}' on "
                              f"CPU {cpu}, after '{found[0].name}'. One of them gets all frames. Remove one, or "
                              f"let it import {MEM} from the other.")


def check_single(system, cpu):
    for privilege in SINGLE:
        found = [i for i in system.on(cpu) if has(i, privilege)]
        if len(found) > 1:
            found[1].table.refuse("image", f"'{found[1].name}' is the second component with the privilege "
                                  f"'{privilege}' on CPU {cpu}, "
                                  f"after '{found[0].name}'. A CPU can have one. Remove one.")


def port(instance, name):
    """Returns the port number in an argument, or None."""
    value = instance.args.get(name)
    if value is not None and (not isinstance(value, int) or not 0 <= value < PORTS):
        instance.table.refuse(f"args/{name}", f"is not a port number. Ports are 0 to {PORTS - 1}. Choose one.")
    return value


def exported_ports(system):
    """Returns {(cpu, port): instance}."""
    found = {}
    for i in system.instances:
        number = port(i, "export-port")
        if number is None:
            continue
        if not i.priority:
            i.table.refuse("args/export-port", "is given, but the component has no thread that "
                           "could receive. Give it a priority or remove the port.")
        other = found.setdefault((i.cpu, number), i)
        if other is not i:
            i.table.refuse("args/export-port", f"{number} is the port of '{other.name}' on CPU "
                           f"{i.cpu} already. A port has one receiver. Choose another one.")
    return found


def check_import(system, instance, exported):
    number = port(instance, "import-port")
    if number is None:
        return
    cpu = instance.args.get("import-cpu")
    if not isinstance(cpu, int) or not 0 <= cpu < system.cpus or cpu == instance.cpu:
        instance.table.refuse("args/import-cpu", "is not another CPU of the system. 'import-port' names a port of "
                              "that CPU. Add import-cpu = its number.")
    if (cpu, number) not in exported:
        instance.table.refuse("args/import-port", f"no component on CPU {cpu} has export-port = "
                              f"{number}. Events need a receiver. Correct one of them.")
    instance.port = exported[cpu, number]


def check_dispatch(system, instance):
    name = instance.args.get("dispatch-to")
    if name is None:
        return
    found = [i for i in system.on(instance.cpu) if i.name == name and i.priority]
    if not found:
        instance.table.refuse("args/dispatch-to", f"no component '{name}' with a thread is on CPU "
                              f"{instance.cpu}. The argument names the component whose thread is dispatched. "
                              "Correct it.")
    instance.dispatch = found[0]


def check_stop(system, instance):
    name = instance.args.get("stop-of")
    if name is None:
        return
    found = [i for i in system.on(instance.cpu) if i.name == name and not i.booter]
    if not found:
        instance.table.refuse("args/stop-of", f"no component '{name}' is on CPU {instance.cpu}. The argument names "
                              "the component that may be stopped. Correct it.")
    instance.stop = found[0]


def resolve(system):
    """Checks the roles, and finds the partners of ports, dispatch and stop."""
    for cpu in range(system.cpus):
        check_single(system, cpu)
    exported = exported_ports(system)
    for instance in system.instances:
        check_import(system, instance, exported)
        check_dispatch(system, instance)
        check_stop(system, instance)


def resolve_memory(system):
    """Finds the memory manager of each component. The fault handlers are known already."""
    for instance in system.instances:
        instance.manager = manager_of(instance)
    for cpu in range(system.cpus):
        check_memory(system, cpu)
