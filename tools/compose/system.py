# SPDX-License-Identifier: BSD-2-Clause
"""Reads and checks system files, which list the components of a system."""

from dataclasses import dataclass, field
from pathlib import Path

from . import argument, bridge, channel, choice, component, executive, mqtt, musl, policy, resource, table, update
from .contract import VALUES
from .errors import Mistakes, Refused

PAGE = VALUES["LIMPET_PAGE"]
FRAMES_MAX = VALUES["LIMPET_FRAMES_MAX"] * PAGE
RESTARTS_MAX = 1_000_000
PRIORITY_MAX = VALUES["LIMPET_URGENCY_MAX"]
QUOTA = "1M"
QUOTA_MAX = VALUES["LIMPET_QUOTA_MAX"] * PAGE
OF_IMAGE = ("imports", "args", "environment", "threads", "stacks", "stacks-full", *resource.KINDS,
            *policy.OF_SUPERVISOR)  # keys of a [[component]] that depend on its image or on restart
STACKS_FULL = ("wait", "error")  # reactions of an invocation that finds no free stack
# Values that replace wrong ones while the rest of a table is read. Others depend on the decisive keys.
STAND_INS = {"name": table.UNNAMED, "frames": "1M", "priority": 1, "restart": "image"}
DECISIVE = ("image",)
TRACE_MIN, TRACE_MAX = VALUES["LIMPET_TRACE_MIN"], VALUES["LIMPET_TRACE_MAX"]


@dataclass(eq=False)
class Instance:
    """A component of the system."""

    name: str
    definition: component.Definition
    table: table.Table
    cpu: int = 0
    priority: int = 0
    imports: dict = field(default_factory=dict)
    args: dict = field(default_factory=dict)
    resources: list = field(default_factory=list)  # (key, resource.Resource)
    threads: int = 0   # number of spare threads
    stacks: int = 0    # number of its pool's stacks; 0: each thread has a stack of its own
    stack_error: bool = False  # an invocation that finds no free stack is an error
    quota: int = 0     # pages that the memory manager may map in it
    policy: object = None  # policy.Policy
    scheduled_by: str | None = None  # the scheduler that the system file names
    index: int = -1
    wires: list = field(default_factory=list)
    layout: object = None
    thread: int | None = None  # its id, once numbered
    spares: list = field(default_factory=list)  # ids
    scheduler: object = None  # scheduler of its threads; None: it is the root, or has no threads
    faults: object = None     # handler of its faults
    guest: object = None      # the executive that gets what this one passes; None: Linux does
    supervisor: object = None  # the supervisor at the end of the chain of fault handlers
    unwired: list = field(default_factory=list)  # symbols of optional imports that are omitted
    port: object = None  # receiver of the events that it sends to its port
    dispatch: object = None  # component whose thread it may dispatch
    stop: object = None      # component that it may stop
    manager: object = None   # the memory manager that serves it
    choices: dict = field(default_factory=dict)  # choice.Choice by import of interface any
    numbers: dict = field(default_factory=dict)  # symbols whose values the composer gives, besides wires
    channels: list = field(default_factory=list)  # channel.Channel
    barrier: bool = False  # it shares no branch predictions with other code
    executive: bool = False  # its object serves guests
    guests_open: bool = False  # its guests continue without it
    update: int = 0    # bytes reserved for each part of another build; 0: it cannot be replaced
    entries: list = field(default_factory=list)  # with `update`: symbols of exported functions, in the order of their table
    wrong: set = field(default_factory=set)  # keys of its table with a mistake, such as imports/NAME
    identity: int = 0  # with `update`: check sum of the interfaces that it exports and imports

    @property
    def booter(self):
        return self.definition.name == component.BOOTER

    @property
    def flags(self):
        full = VALUES["LIMPET_COMPONENT_STACK_ERROR"] if self.stack_error else 0
        replaced = VALUES["LIMPET_COMPONENT_UPDATE"] if self.update else 0
        barrier = VALUES["LIMPET_COMPONENT_BARRIER"] if self.barrier else 0
        serves = VALUES["LIMPET_COMPONENT_EXECUTIVE"] if self.executive else 0
        open_guests = VALUES["LIMPET_COMPONENT_GUESTS_OPEN"] if self.guests_open else 0
        return component.flags(self.definition) | full | replaced | barrier | serves | open_guests

    @property
    def pool_total(self):
        """The number of stacks of its pool, including one for each of its own threads."""
        return self.stacks and self.stacks + bool(self.priority) + self.threads

    @property
    def threaded(self):
        """True if it has threads: its own, or spare ones."""
        return bool(self.priority or self.threads)


@dataclass
class System:
    name: str
    file: Path
    frames: int
    cpus: int
    restarts: int   # of Linux, after it died beneath
    trace: int      # bytes of each CPU's trace ring
    depth: int      # invocations that each thread can nest
    ramdisk: Path | None
    instances: list
    table: table.Table
    broken: list = field(default_factory=list)  # names of components with a mistake in their table
    unsure: list = field(default_factory=list)  # those of them that imports may mean wrongly
    bridges: list = field(default_factory=list)  # bridge.Bridge
    topics: list = field(default_factory=list)  # mqtt.Topic
    translated: dict = field(default_factory=dict)  # contents of files of the ramdisk that replace those of the folder

    @property
    def channels(self):
        """The channels in the order of the image."""
        return [c for i in self.instances for c in i.channels]

    @property
    def booter(self):
        return self.instances[0]

    def threads(self, cpu):
        """Returns the number of threads of a CPU, without the booter's."""
        return sum(bool(i.priority) + i.threads for i in self.on(cpu))

    def on(self, cpu):
        """Returns the components of one CPU, without the booter."""
        return [i for i in self.instances if i.cpu == cpu and not i.booter]


def read_imports(t, definition):
    """Returns (instance by import, choice.Choice by import of interface any)."""
    imports, servers, choices = t.table("imports", required=False), {}, {}
    for name in imports.mapping_names():
        if definition.imports.get(name) == choice.ANY:
            servers[name], choices[name] = choice.read(imports, name)
        else:
            servers[name] = imports.word(name, table.NAME, maximum=component.NAME_MAX)
    return servers, choices


def read_args(t, definition):
    args, environment = t.table("args", required=False), musl.environment(t, definition)
    argument.check_count(t, definition, {**args.data, **environment})
    for name in args.mapping_names():
        argument.check(args, name, definition)
    return {**args.data, **environment}


def read_priority(t, definition):
    priority = t.integer("priority", None, 1, PRIORITY_MAX)
    if not definition.thread:
        if priority:
            t.refuse("priority", f"is given, but {definition.name} has no thread of its own. Only "
                     "a thread has a priority. Remove it.")
        return 0
    if definition.thread is True and not (priority or definition.priority):
        t.refuse("priority", f"is missing. The thread of {definition.name} has no default. "
                 f"Add priority = 1 to {PRIORITY_MAX}.")
    return priority or definition.priority or 0


def read_threads(t, definition, imports):
    """Returns the number of spare threads."""
    threads = t.integer("threads", definition.threads, 0, component.THREADS_MAX)
    if threads and definition.imports.get(component.SCHED) != component.SCHED:
        t.refuse("threads", f"is given, but {definition.name} has no import {component.SCHED} of "
                 f"interface {component.SCHED}. Spare threads get their work from that import. Add it in "
                 f"{definition.file} or remove threads.")
    return threads + musl.threads(imports) if definition.libc else threads


def read_stacks(t, definition, imports):
    """Returns (number of the pool's stacks, whether an invocation that finds no free stack is an error)."""
    stacks = t.integer("stacks", definition.stacks or None, 1, VALUES["LIMPET_POOL_MAX"]) or 0
    full = t.one_of("stacks-full", STACKS_FULL, None)
    if (stacks or full) and not definition.stacks:
        t.refuse("stacks" if stacks else "stacks-full", f"is given, but {definition.name} has no pool of stacks. "
                 f"Remove it or add stacks to {definition.file}.")
    waits = definition.imports.get(component.SCHED) == component.SCHED and component.SCHED in imports
    if full == "wait" and not waits:
        t.refuse("stacks-full", f"is 'wait', but {definition.name} has no import {component.SCHED} of interface "
                 f"{component.SCHED}, in which a thread waits. Write \"error\" or add the import to {definition.file}.")
    return stacks, bool(stacks) and (full == "error" or not waits)


def read_barrier(t, definition):
    """Returns whether the component shares no branch predictions with other code."""
    barrier = t.boolean("branch-barrier", False)
    if barrier and definition.name == component.BOOTER:
        t.refuse("branch-barrier", "is given, but the booter starts the system and then never runs again. Remove it.")
    return barrier


def read_trace(t):
    """Returns the bytes of the ring to which each CPU's kernel writes its events."""
    size = t.size("trace", "64K", 0, TRACE_MAX)
    if size and (size < TRACE_MIN or size & (size - 1)):
        t.refuse("trace", f"'{t.data['trace']}' is not a power of two of 4K or more. Events are stored in "
                 'a ring. Write "64K", or "0" for none.')
    return size


def read_image(t, folders):
    """Returns the definition of the component."""
    image = t.word("image", table.NAME, maximum=component.NAME_MAX)
    definition = component.find(image, folders)
    if not definition:
        t.refuse("image", f"there is no component '{image}'. "
                 f"{table.near(image, component.known(folders))} Correct the name, or add --components DIR.")
    return definition


def read_others(t, cpus):
    """Checks the keys that mean the same for each image, because the image is wrong."""
    mistakes = Mistakes()
    mistakes.of(t.integer, "priority", None, 1, PRIORITY_MAX)
    mistakes.of(t.integer, "cpu", 0, 0, cpus - 1)
    mistakes.of(t.size, "quota", QUOTA, 0, QUOTA_MAX, PAGE)
    mistakes.of(t.word, "scheduler", table.NAME, None, component.NAME_MAX)
    mistakes.of(t.boolean, "branch-barrier", False)
    for read_part in (policy.read, update.read, executive.read):
        mistakes.of(read_part, t)
    t.read.update(OF_IMAGE)
    mistakes.of(t.done)
    mistakes.end()


def read_instance(t, folders, cpus):
    name = t.word("name", table.NAME, maximum=component.NAME_MAX)
    mistakes = Mistakes()
    definition = mistakes.of(read_image, t, folders)
    if not definition:
        mistakes.of(read_others, t, cpus)
        mistakes.end()
    priority = read_priority(t, definition)
    imports, choices = read_imports(t, definition)
    stacks, stack_error = read_stacks(t, definition, imports)
    instance = Instance(name, definition, t, t.integer("cpu", 0, 0, cpus - 1), priority,
                        imports, read_args(t, definition),
                        resource.read(t, definition, priority), read_threads(t, definition, imports),
                        stacks, stack_error,
                        t.size("quota", QUOTA, 0, QUOTA_MAX, PAGE) // PAGE, policy.read(t),
                        t.word("scheduler", table.NAME, None, maximum=component.NAME_MAX),
                        choices=choices, barrier=read_barrier(t, definition), update=update.read(t),
                        guests_open=executive.read(t))
    t.done()
    return instance


def add_booter(top, instances, folders):
    """Puts the booter first. It is implicit if the file does not name it."""
    booters = [i for i in instances if i.booter]
    if len(booters) > 1:
        booters[1].table.refuse("image", f"'{booters[1].name}' is the second booter. A system has one, which runs "
                                "on each CPU. Remove it.")
    if not booters:
        definition = component.find(component.BOOTER, folders)
        if not definition:
            top.refuse("component", f"there is no component '{component.BOOTER}'. It builds the "
                       "others. Add --components DIR with one.")
        data = {"name": component.BOOTER, "image": component.BOOTER}
        t = table.Table(data, top.file, f"component.{component.BOOTER}")
        booters = [read_instance(t, folders, 1)]
    if booters[0].cpu:
        booters[0].table.refuse("cpu", "is given for the booter. The booter runs on each CPU. Remove it.")
    return booters + [i for i in instances if not i.booter]


def read_ramdisk(t, path):
    name = t.text("ramdisk", None)
    if name is None:
        return None
    folder = path.parent / name
    if not folder.is_dir():
        t.refuse("ramdisk", f"'{name}' is not a folder. Its files become the ramdisk. Create it, or correct the path.")
    return folder


def read_restarts(t):
    """Returns the number of Linux's deaths after which another Linux is started."""
    if t.data.get("linux-restarts") == "always":
        t.read.add("linux-restarts")
        return VALUES["LIMPET_RESTARTS_ALWAYS"]
    return t.integer("linux-restarts", 0, 0, RESTARTS_MAX)


def refuse_length(system, top):
    if len(system.instances) > VALUES["LIMPET_COMPONENTS_MAX"]:
        top.refuse("component", f"there are {len(system.instances)} components with the booter. An image has "
                   f"at most {VALUES['LIMPET_COMPONENTS_MAX']}. Remove some.")


def tolerate(mistakes, t, read, *values):
    """Returns read(t, ...). Keeps mistakes, and reads the other keys, without the wrong keys or with replacements.

    Returns None if the other keys cannot be read, because some of them depend on the wrong one.
    """
    tries = {}
    while True:
        try:
            return read(t, *values)
        except Refused as error:
            places = {(part.table and id(part.table.data), part.key): part for part in error.parts}
            counts = [count_up(tries, place) for place in places]
            if min(counts) == 1:
                mistakes.found.append(error)
            if not all(put_right(t, part, count) for part, count in zip(places.values(), counts)):
                return None


def wrong_keys(t, errors):
    """Returns the keys of the table, or of tables in it, to which the mistakes belong."""
    start = f"{t.where}/"
    places = [part.table.at(part.key) for error in errors for part in error.parts if part.table and part.table.file == t.file]
    return {place.removeprefix(start) for place in places if place.startswith(start)}


def count_up(tries, place):
    tries[place] = tries.get(place, 0) + 1
    return tries[place]


def put_right(top, error, count):
    """Returns whether the table can now be read without a mistake at its key."""
    t, key = error.table, error.key
    if not t or t.file != top.file or key in DECISIVE or count > 2:
        return False
    if count == 1 and key in STAND_INS:
        t.data[key] = STAND_INS[key]
        return True
    return t.data.pop(key, None) is not None


def read_head(head):
    system = System(head.word("name", table.NAME, maximum=component.NAME_MAX), head.file,
                    head.size("frames", table.REQUIRED, PAGE, FRAMES_MAX, PAGE) // PAGE,
                    head.integer("cpus", 1, 1, VALUES["LIMPET_CPUS_MAX"]),
                    read_restarts(head), read_trace(head),
                    head.integer("depth", VALUES["LIMPET_DEPTH_DEFAULT"], VALUES["LIMPET_DEPTH_MIN"],
                                 VALUES["LIMPET_DEPTH_MAX"]), read_ramdisk(head, head.file), [], head)
    head.done()
    return system


def read_instances(mistakes, system, tables, folders):
    """Reads the components. system.broken then has the names of those that have a mistake. system.unsure has those of
    them whose name, CPU or exports are not known.
    """
    seen = set() if any(t.data.get("image") == component.BOOTER for t in tables) else {component.BOOTER}
    for t in tables:
        name, before = t.data.get("name"), len(mistakes.found)
        instance = tolerate(mistakes, t, read_instance, folders, system.cpus)
        wrong = wrong_keys(t, mistakes.found[before:])
        if "name" not in wrong and name in seen:
            mistakes.of(refuse_twice, t, name)
            system.unsure.append(name)
        seen.add(str(name))
        if len(mistakes.found) > before:
            system.broken += [name] + ([instance.name] if instance else [])
        if not instance or wrong & {"name", "cpu"}:
            system.unsure.append(name)
        if instance:
            instance.wrong = wrong
            system.instances.append(instance)


def refuse_twice(t, name):
    t.refuse("name", f"'{name}' is defined twice. Names must be unique. Rename one.")


def read(path, folders, mistakes):
    """Returns the system described in a file. Keeps the mistakes in its tables; system.broken names their components."""
    path = Path(path)
    top = table.load(path)
    head = mistakes.of(top.table, "system") or \
        table.Table({key: STAND_INS[key] for key in ("name", "frames")}, path, "system")
    system = tolerate(mistakes, head, read_head)
    if not system:
        mistakes.end()
    if mistakes.found:
        system.cpus = VALUES["LIMPET_CPUS_MAX"]
    tables = mistakes.of(top.tables, "component") or []
    read_instances(mistakes, system, tables, folders)
    mistakes.of(channel.read, top, system.instances, system.broken)
    mistakes.of(bridge.read, top, system)
    mistakes.of(mqtt.read, top, system)
    mistakes.of(top.done)
    system.instances = mistakes.of(add_booter, top, system.instances, folders) or system.instances
    mistakes.of(refuse_length, system, top)
    mistakes.of(resource.check, top, system)
    return system
