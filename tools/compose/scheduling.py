# SPDX-License-Identifier: BSD-2-Clause
"""Who schedules whose threads, and the threads' ids.

One scheduler of a CPU is the root: it does not import the interface of schedulers itself. The others
are nested: their thread is scheduled as any other one.
"""

from . import component, roles, table
from .contract import VALUES

THREADS = VALUES["LIMPET_THREADS_MAX"]
NESTING = VALUES["LIMPET_NESTING_MAX"]


def asked(instance):
    """The servers of its imports of the interface, each once, by the import's name."""
    return {w.server: w.import_name for w in instance.wires if w.interface == component.SCHED}


def root_of(system, cpu):
    """The root scheduler of a CPU that has components, or Refused."""
    found = [i for i in system.on(cpu) if roles.has(i, "scheduler")]
    roots = [i for i in found if not asked(i)]
    if len(roots) > 1:
        roots[1].table.refuse("image", f"is a second root scheduler on CPU {cpu} beside "
                              f"'{roots[0].name}', one gives time to all others, let this one "
                              f"import interface {component.SCHED} or remove it")
    if not roots:
        first = (found or system.on(cpu))[0]
        first.table.refuse("cpu", f"CPU {cpu} has components but no scheduler that imports no "
                           f"{component.SCHED} itself, exactly one is the root that runs the "
                           "threads, add a component with the privilege 'scheduler'")
    for i in found:
        if not i.priority:
            i.table.refuse("priority", "is missing, a scheduler runs on a thread of its own, "
                           f"set thread = true in {i.definition.file}")
    return roots[0]


def named(system, instance, name):
    """The scheduler that the system file names."""
    t = instance.table
    known = [i for i in system.on(instance.cpu) if roles.has(i, "scheduler") and i is not instance]
    found = [i for i in known if i.name == name]
    if not found:
        t.refuse("scheduler", f"no other scheduler '{name}' is on CPU {instance.cpu}, "
                 f"{table.near(name, [i.name for i in known])}, correct the name")
    return found[0]


def scheduler_of(system, instance, root, name):
    """Who schedules the threads of a component that has some."""
    servers = [i for i in asked(instance) if roles.has(i, "scheduler")]
    if name is not None:
        return named(system, instance, name)
    if len(servers) > 1:
        instance.table.refuse("scheduler", f"is missing, it imports {component.SCHED} from "
                              f"{' and '.join(i.name for i in servers)}, one of them schedules its "
                              f'threads, add scheduler = "{servers[0].name}"')
    return servers[0] if servers else root


def check_spares(instance):
    """Spare threads ask whom they import; that must be who schedules them."""
    server = next((w.server for w in instance.wires if w.import_name == component.SCHED), None)
    if instance.threads and server is not instance.scheduler:
        by = instance.scheduler.name if instance.scheduler else "no scheduler"
        instance.table.refuse("threads", f"is given, but {by} schedules them and the import "
                              f"{component.SCHED} is {server.name if server else 'left out'}, spare "
                              "threads ask there what to run, wire it to the scheduler")


def check_nesting(instance):
    path, at = [instance], instance.scheduler
    while at:
        path.append(at)
        if at in path[:-1]:
            instance.table.refuse("scheduler", f"is a cycle: {' -> '.join(i.name for i in path)}, "
                                  "the root has no scheduler, correct one of these")
        at = at.scheduler
    if len(path) - 2 > NESTING:
        instance.table.refuse("scheduler", f"is nested too deep: {' -> '.join(i.name for i in path)}, at most "
                              f"{NESTING} schedulers schedule one another, remove some")


def wire(system, cpu):
    """Finds who schedules whom on a CPU."""
    root = root_of(system, cpu)
    for i in system.on(cpu):
        name = i.scheduled_by
        if name is not None and (i is root or not i.threaded):
            why = "it is the root, which has no scheduler" if i is root else "it has no threads"
            i.table.refuse("scheduler", f"is given, but {why}, only threads are scheduled, "
                           "remove it")
        if i.threaded and i is not root:
            i.scheduler = scheduler_of(system, i, root, name)
    for i in system.on(cpu):
        check_nesting(i)
        check_spares(i)


def number(system, cpu):
    """Ids, as the booter gives them: 1 and up, in the order of the image; spare ones behind its own."""
    last = 0
    for i in system.on(cpu):
        if i.priority:
            last = i.thread = last + 1
        i.spares = list(range(last + 1, last + 1 + i.threads))
        last += i.threads
        if last >= THREADS:
            i.table.refuse("threads" if i.threads else "cpu", f"CPU {cpu} has {last} threads or "
                           f"more, with the booter's there are at most {THREADS}, use another CPU")


def name_threads(system, instance):
    """Arguments that begin with @NAME: the id of that component's thread stands there instead."""
    for key, value in instance.args.items():
        if not isinstance(value, str) or not value.startswith("@"):
            continue
        name, _, rest = value[1:].partition(" ")
        known = {i.name: i for i in system.on(instance.cpu) if i.thread}
        if name not in known:
            instance.table.refuse(f"args/{key}", f"no component '{name}' with a thread is on CPU "
                                  f"{instance.cpu}, {table.near(name, known)}, correct the name")
        instance.args[key] = f"{known[name].thread} {rest}".rstrip()


def resolve(system):
    for cpu in range(system.cpus):
        if system.on(cpu):
            wire(system, cpu)
            number(system, cpu)
    for instance in system.instances:
        name_threads(system, instance)


def nested(system, instance):
    """The schedulers among those whose threads it schedules."""
    return [i for i in system.on(instance.cpu)
            if i.scheduler is instance and roles.has(i, "scheduler")]


def scheduled_by(instance, scheduler):
    """Whether that one schedules its threads, or schedules a scheduler that does."""
    while instance.scheduler:
        instance = instance.scheduler
        if instance is scheduler:
            return True
    return False


def threads(system, instance):
    """Ids of the threads that it schedules, directly or through others."""
    return [id for i in system.on(instance.cpu) if scheduled_by(i, instance)
            for id in [i.thread, *i.spares] if id]
