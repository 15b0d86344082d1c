# SPDX-License-Identifier: BSD-2-Clause
"""Finds the scheduler of each thread, and numbers the threads.

One scheduler of a CPU is the root: it does not import the interface of schedulers itself. The others are nested:
their thread is scheduled like any other thread.
"""

from . import component, roles, table
from .contract import VALUES

THREADS = VALUES["LIMPET_THREADS_MAX"]
NESTING = VALUES["LIMPET_NESTING_MAX"]


def asked(instance):
    """Returns the servers of its imports of the interface, each once, by the import's name."""
    return {w.server: w.import_name for w in instance.wires if w.interface == component.SCHED}


def root_of(system, cpu):
    """Returns the root scheduler of a CPU that has components."""
    found = [i for i in system.on(cpu) if roles.has(i, "scheduler")]
    roots = [i for i in found if not asked(i)]
    if len(roots) > 1:
        roots[1].table.refuse("image", f"'{roots[1].name}' is the second root scheduler on CPU {cpu}, after "
                              f"'{roots[0].name}'. One root gives time to all other schedulers. Let this one "
                              f"import interface {component.SCHED} or remove it.")
    if not roots:
        first = (found or system.on(cpu))[0]
        first.table.refuse("cpu", f"CPU {cpu} has components but no scheduler that imports no "
                           f"{component.SCHED} itself. Exactly one scheduler is the root that runs the threads. Add "
                           "a component with the privilege 'scheduler'.")
    for i in found:
        if not i.priority:
            i.table.refuse("priority", "is missing. A scheduler runs on a thread of its own. "
                           f"Set thread = true in {i.definition.file}.")
    return roots[0]


def named(system, instance, name):
    """Returns the scheduler that the system file names."""
    t = instance.table
    known = [i for i in system.on(instance.cpu) if roles.has(i, "scheduler") and i is not instance]
    found = [i for i in known if i.name == name]
    if not found:
        t.refuse("scheduler", f"no other scheduler '{name}' is on CPU {instance.cpu}. "
                 f"{table.near(name, [i.name for i in known])} Correct the name.")
    return found[0]


def scheduler_of(system, instance, root, name):
    """Returns the scheduler of a component with threads."""
    servers = [i for i in asked(instance) if roles.has(i, "scheduler")]
    if name is not None:
        return named(system, instance, name)
    if len(servers) > 1:
        instance.table.refuse("scheduler", f"is missing. The component imports {component.SCHED} from "
                              f"{' and '.join(i.name for i in servers)}. One of them schedules its "
                              f'threads. Add scheduler = "{servers[0].name}".')
    return servers[0] if servers else root


def check_spares(instance):
    """Checks that spare threads get their work from their scheduler, through the import `sched`."""
    server = next((w.server for w in instance.wires if w.import_name == component.SCHED), None)
    if instance.threads and server is not instance.scheduler:
        by = instance.scheduler.name if instance.scheduler else "no scheduler"
        instance.table.refuse("threads", f"is given, but {by} schedules the threads, and the import "
                              f"{component.SCHED} is {server.name if server else 'omitted'}. Spare "
                              "threads get their work from that import. Wire it to the scheduler.")


def check_nesting(instance):
    path, at = [instance], instance.scheduler
    while at:
        path.append(at)
        if at in path[:-1]:
            instance.table.refuse("scheduler", f"forms a cycle: {' -> '.join(i.name for i in path)}. The root has "
                                  "no scheduler. Correct one of these.")
        at = at.scheduler
    if len(path) - 2 > NESTING:
        instance.table.refuse("scheduler", f"is nested too deep: {' -> '.join(i.name for i in path)}. At most "
                              f"{NESTING} schedulers schedule one another. Remove some.")


def wire(system, cpu):
    """Finds the scheduler of each component of a CPU."""
    root = root_of(system, cpu)
    for i in system.on(cpu):
        name = i.scheduled_by
        if name is not None and (i is root or not i.threaded):
            why = "the component is the root, which has no scheduler" if i is root else "the component has no threads"
            i.table.refuse("scheduler", f"is given, but {why}. Only threads are scheduled. Remove it.")
        if i.threaded and i is not root:
            i.scheduler = scheduler_of(system, i, root, name)
    for i in system.on(cpu):
        check_nesting(i)
        check_spares(i)


def number(system, cpu):
    """Gives ids in the order of the booter: from 1 on, in the order of the image. A component's spare threads follow
    its own thread.
    """
    last = 0
    for i in system.on(cpu):
        if i.priority:
            last = i.thread = last + 1
        i.spares = list(range(last + 1, last + 1 + i.threads))
        last += i.threads
        if last >= THREADS:
            i.table.refuse("threads" if i.threads else "cpu", f"CPU {cpu} has {last} threads or more. The maximum "
                           f"is {THREADS}, including the booter's. Use another CPU.")


def name_threads(system, instance):
    """Replaces @NAME at the start of an argument by the id of that component's thread."""
    for key, value in instance.args.items():
        if not isinstance(value, str) or not value.startswith("@"):
            continue
        name, _, rest = value[1:].partition(" ")
        known = {i.name: i for i in system.on(instance.cpu) if i.thread}
        if name not in known:
            instance.table.refuse(f"args/{key}", f"no component '{name}' with a thread is on CPU "
                                  f"{instance.cpu}. {table.near(name, known)} Correct the name.")
        instance.args[key] = f"{known[name].thread} {rest}".rstrip()


def resolve(system):
    for cpu in range(system.cpus):
        if system.on(cpu):
            wire(system, cpu)
            number(system, cpu)
    for instance in system.instances:
        name_threads(system, instance)


def nested(system, instance):
    """Returns the schedulers among the components whose threads it schedules."""
    return [i for i in system.on(instance.cpu)
            if i.scheduler is instance and roles.has(i, "scheduler")]


def scheduled_by(instance, scheduler):
    """Returns whether `scheduler` schedules its threads, directly or through other schedulers."""
    while instance.scheduler:
        instance = instance.scheduler
        if instance is scheduler:
            return True
    return False


def threads(system, instance):
    """Returns the ids of the threads that it schedules, directly or through others."""
    return [id for i in system.on(instance.cpu) if scheduled_by(i, instance)
            for id in [i.thread, *i.spares] if id]
