# SPDX-License-Identifier: BSD-2-Clause
"""Reads what happens when a component faults: its handler, and the action of its supervisor."""

from dataclasses import dataclass

from . import component, musl, table
from .contract import VALUES
from .errors import Mistakes
from .wiring import Wire, servers, symbol_of

INTERFACE, FUNCTION = "faults", "handle"
SYMBOL = f"__limpet_export_{INTERFACE}_{FUNCTION}"
RESTARTS = ("stop", "halt", "image", "checkpoint")
AGAIN = ("image", "checkpoint")  # the component restarts
SPARES_FEW = VALUES["LIMPET_SPARES_FEW"]
LIMIT, LIMIT_MAX, MS_MAX = 10, 1_000_000, 3_600_000
OF_SUPERVISOR = ("restart", "restart-limit", "restart-backoff-ms", "heartbeat-ms")


@dataclass
class Policy:
    """The policy, as the system file gives it."""

    faults: str | None  # name of the instance that handles faults
    restart: str
    limit: int
    backoff: int    # ms
    heartbeat: int  # ms; 0: no heartbeat

    @property
    def number(self):
        return VALUES[f"LIMPET_RESTART_{self.restart.upper()}"]

    @property
    def restarts(self):
        """Whether the component restarts after a fault."""
        return self.restart in AGAIN


def read(t):
    """Returns the policy. A wrong `restart` allows the keys of a component that restarts."""
    mistakes = Mistakes()
    faults = mistakes.of(t.word, "faults", table.NAME, None, component.NAME_MAX)
    restart = mistakes.of(t.one_of, "restart", RESTARTS, "stop")
    if restart and restart not in AGAIN:
        for key in ("restart-limit", "restart-backoff-ms"):
            mistakes.of(refuse_alone, t, key, restart)
        limit = backoff = 0
    else:
        limit = mistakes.of(t.integer, "restart-limit", LIMIT, 0, LIMIT_MAX)
        backoff = mistakes.of(t.integer, "restart-backoff-ms", 0, 0, MS_MAX)
    heartbeat = mistakes.of(t.integer, "heartbeat-ms", 0, 0, MS_MAX)
    mistakes.end()
    return Policy(faults, restart, limit, backoff, heartbeat)


def refuse_alone(t, key, restart):
    """Refuses a key that only a component that restarts can have."""
    if key in t.data:
        t.refuse(key, f"is given, but restart is '{restart}'. It applies only to components that are restarted. "
                 'Remove it or write restart = "checkpoint" or "image".')


def reached(instance, nexts):
    """Yields the component and all that it reaches, each once. `nexts` returns those that a component reaches directly, of
    which the first is followed to its end before the others.
    """
    seen, open_ways = set(), [instance]
    while open_ways:
        at = open_ways.pop()
        if id(at) not in seen:
            seen.add(id(at))
            yield at
            open_ways += reversed(nexts(at))


def handlers(instance):
    """Returns the components to which a handler passes faults on. A supervisor passes none on."""
    if component.SUPERVISOR in instance.definition.privileges:
        return []
    return [w.server for w in instance.wires if w.interface == INTERFACE]


def supervisor_of(handler):
    """Returns the supervisor at the end of a chain of fault handlers, or None."""
    return next((i for i in reached(handler, handlers) if component.SUPERVISOR in i.definition.privileges), None)


def supervised(system, instance):
    """Returns the components that it supervises, in the order of the image."""
    if component.SUPERVISOR not in instance.definition.privileges:
        return []
    return [i for i in system.on(instance.cpu) if i.supervisor is instance]


def invokes(instance, wanted):
    """Returns whether it invokes a component, directly or through others."""
    return instance is not wanted and any(i is wanted for i in reached(instance, servers))


def check_handler(instance, by_name):
    """Returns the handler of the component's faults."""
    t, name = instance.table, instance.policy.faults
    handler = by_name.get(name)
    if instance.booter:
        t.refuse("faults", "is given for the booter. The booter ends before the other components start. Remove it.")
    if not handler:
        t.refuse("faults", f"there is no component '{name}' in this system. "
                 f"{table.near(name, by_name)} Correct the name.")
    if INTERFACE not in handler.definition.exports:
        t.refuse("faults", f"'{name}' ({handler.definition.name}) does not export interface "
                 f"'{INTERFACE}'. Faults become invocations of its function '{FUNCTION}'. Choose another component.")
    if handler.cpu != instance.cpu:
        t.refuse("faults", f"'{name}' is on CPU {handler.cpu}, but this component is on CPU {instance.cpu}. "
                 "Invocations stay on one CPU. Choose a component of the same CPU.")
    if invokes(handler, instance) and supervisor_of(handler) is not handler:
        t.refuse("faults", f"'{name}' invokes this component, directly or through others. A thread "
                 "must not enter a component twice. Choose another component.")
    return handler


def check_chain(instance):
    """Checks that the chain of fault handlers ends, because a handler can fault, too."""
    path, at = [instance], instance.faults
    while at:
        path.append(at)
        if at in path[:-1]:
            instance.table.refuse("faults", f"forms a cycle: {' -> '.join(i.name for i in path)}. A fault in a "
                                  "handler must go to another component. Remove one of these entries.")
        at = at.faults


def check_supervised(instance):
    for key in OF_SUPERVISOR:
        if key in instance.table.data and not instance.supervisor:
            instance.table.refuse(key, "is given, but the component's faults do not reach a component with the "
                                  f"privilege '{component.SUPERVISOR}'. Only a supervisor uses this key. Add "
                                  'faults = "its name" or remove it.')


def check_spares(instance):
    if instance.threads > SPARES_FEW and (instance.supervisor or instance.definition.libc):
        own = musl.threads(instance.imports) if instance.definition.libc else 0
        why = ("a supervisor restarts the component" if instance.supervisor
               else "the component is a program with a C library")
        instance.table.refuse("threads", f"{instance.threads - own} threads are too many, because {why}. At most "
                              f"{SPARES_FEW - own} are possible. Make threads smaller.")


def pass_on(instance):
    """Wires a program's lib/posix, which handles its faults first, to the handler that the system file names."""
    if instance.faults:
        slot = VALUES["LIMPET_SLOT_FIRST"] + len(instance.wires)
        instance.wires.append(Wire(instance.faults, slot, musl.FAULTS, INTERFACE, FUNCTION))
    else:
        instance.unwired.append(symbol_of(musl.FAULTS, FUNCTION))


def entry(instance):
    """Returns the first handler of the instance's faults as (instance, symbol), or None."""
    if instance.definition.libc:
        return instance, musl.FAULT_ENTRY
    return instance.faults and (instance.faults, SYMBOL)


def resolve(system):
    """Finds the fault handler and the supervisor of each component."""
    by_name = {i.name: i for i in system.instances}
    for instance in system.instances:
        if instance.policy.faults is not None:
            instance.faults = check_handler(instance, by_name)
            instance.supervisor = supervisor_of(instance.faults)
    for instance in system.instances:
        check_chain(instance)
        check_supervised(instance)
        check_spares(instance)
        if instance.definition.libc:
            pass_on(instance)
