# SPDX-License-Identifier: BSD-2-Clause
"""Systems that run: starts, stops and lists them, and reads their counters.

    from limpet import ps, run, stop

    name = run("control.limpet", linux_share=200)
    for thread in ps(name)[0].threads:
        print(thread.home, thread.misses)
    stop(name)

The argument `system` of a function is the name or the number of a system. It is optional if one system runs, or if
the environment's LIMPET_SYSTEM names one. Each function raises LimpetError with the sentence of the command if the command
refuses the request, for example because Limpet is not attached or because no system runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from .program import command, objects

_T = TypeVar("_T")


def take(kind: type[_T], value: dict[str, Any], **lists: type) -> _T:
    """Makes a dataclass of a JSON object. Members that a newer command adds are ignored.

    `lists` names the members that are lists of objects, with the class of these.
    """
    fields = {field.name for field in dataclasses.fields(kind)}
    members = {name: part for name, part in value.items() if name in fields}
    for name, part in lists.items():
        members[name] = [take(part, each) for each in value[name]]
    return kind(**members)


@dataclasses.dataclass(frozen=True)
class Component:
    """A component of a system that runs, as `limpet ps` lists it."""

    cpu: int                    #: its CPU in the system
    index: int                  #: its number in the system
    name: str
    image: str                  #: the component that it is an instance of
    failed: bool                #: its own thread is dead
    stopped: bool               #: it cannot be invoked, for example because it has crashed too often
    restarts: int               #: how often it was restarted
    faults: int                 #: its faults that were not repaired
    invocations: int            #: how often it was invoked
    inside: int                 #: invocations that have not returned
    last_fault: str | None      #: its last fault in words


@dataclasses.dataclass(frozen=True)
class Thread:
    """A thread of a system that runs, as `limpet ps` lists it."""

    cpu: int
    id: int
    home: str                   #: the component in which it started
    inside: str                 #: the component in which it is now
    state: str
    died_of: str | None         #: why it is dead, in words
    running: bool               #: it has its CPU
    priority: int | None        #: in the system file; None for a spare thread
    urgency: int                #: the number that the kernel compares
    depth: int                  #: depth of its nested invocations
    dispatches: int             #: how often its scheduler dispatched it
    misses: int                 #: deadlines that it missed by its scheduler's count
    run_us: float               #: its run time in microseconds since the system was loaded
    percent: float              #: its share of its CPU since then


@dataclasses.dataclass(frozen=True)
class System:
    """A system that runs, as `limpet ps` lists it."""

    system: str                 #: its name
    id: int                     #: its number
    state: str
    uptime: float               #: seconds
    mode: str                   #: "beside" or "beneath"
    host_pid: int               #: the process that keeps its log
    restarts: int               #: how often Linux was restarted under it
    restarted_since: str | None  #: why the Linux before this one ended
    linux_cpus: list[int]       #: Linux's number of each of its CPUs
    components: list[Component]
    threads: list[Thread]


@dataclasses.dataclass(frozen=True)
class CpuCounters:
    """The counters of a CPU since the system was loaded, as `limpet stat` prints them."""

    cpu: int
    linux_cpu: int
    invocations: int
    calls: int                  #: kernel calls besides invocations
    events: int                 #: events that were delivered
    faults: int                 #: faults of components, repaired ones too
    timers: int                 #: timer expiries
    resumes: int                #: how often components got the CPU
    interrupted: int            #: how often an interrupt took it away
    barriers: int               #: branch predictor barriers, of components with branch-barrier
    idles: int                  #: how often it slept in Linux
    shares: int                 #: how often Linux's share was enforced
    frames_free: int
    frames: int


@dataclasses.dataclass(frozen=True)
class Counters:
    """The counters of a system, as `limpet stat` prints them."""

    system: str
    state: str
    uptime_ns: int
    region_size: int            #: bytes of its memory
    image_size: int             #: bytes of its image
    linux_share: int            #: minimum share of Linux of each CPU, per mille
    ticks_per_ms: int           #: rate of the time stamp
    levels: int                 #: levels of its page tables
    pcid: bool                  #: it uses process-context ids
    xsave_size: int             #: bytes of the vector state
    cpus: list[CpuCounters]


@dataclasses.dataclass(frozen=True)
class CpuActivity:
    """The activity of a CPU over a time. All but `percent` are rates per second."""

    cpu: int
    linux_cpu: int
    percent: float              #: share of components
    invocations: float
    events: float
    timers: float
    calls: float
    faults: float


@dataclasses.dataclass(frozen=True)
class ThreadActivity:
    """The activity of a thread over a time."""

    cpu: int
    id: int
    home: str
    inside: str
    state: str
    percent: float              #: its share of its CPU
    dispatches: float           #: per second
    misses: int                 #: deadlines that it has missed since the system was loaded
    missed: int                 #: deadlines that it missed in this time
    priority: int | None
    urgency: int
    depth: int


@dataclasses.dataclass(frozen=True)
class ComponentActivity:
    """The activity of a component over a time."""

    cpu: int
    index: int
    name: str
    invocations: float          #: per second
    inside: int
    faults: int
    restarts: int


@dataclasses.dataclass(frozen=True)
class Activity:
    """The activity of a system over a time, as `limpet top` shows it."""

    system: str
    state: str
    uptime: float               #: seconds
    seconds: float              #: the time that the rates cover
    cpus: list[CpuActivity]
    threads: list[ThreadActivity]
    components: list[ComponentActivity]


def run(image: str | PathLike[str], *, cpus: Iterable[int] | None = None, priority: int | None = None,
        linux_share: int | None = None, early_us: int | None = None) -> str:
    """Starts a system from its image, as limpet-run(1) does, and returns its name when it runs.

    `cpus` are Linux's numbers of the CPUs to use, by default the first ones. `priority` is the SCHED_FIFO priority of
    the host threads, 1 to 99. `linux_share` is Linux's minimum share of each CPU, per mille, 0 to 900. `early_us` is
    the maximum time in microseconds by which an idle CPU is woken early, 0 to 100. This needs root.
    """
    words: list[object] = []
    if cpus is not None:
        words += ["--cpus", ",".join(map(str, cpus))]
    for option, value in (("--priority", priority), ("--linux-share", linux_share), ("--early", early_us)):
        if value is not None:
            words += [option, value]
    output = command("run", *words, Path(image).absolute())
    return output.partition(" runs, ")[0]


def stop(system: str | int | None = None, *, every: bool = False, timeout: int = 10) -> None:
    """Stops a system, or every one, and returns when Linux has its memory again.

    Does nothing if no system is named and no system runs. `timeout` is in whole seconds, 1 to 86400. After this time it
    raises LimpetError, and the system is still stopping.
    """
    command("stop", *(["--all"] if every else []), "--timeout", timeout, system=system)


def ps(system: str | int | None = None) -> list[System]:
    """Returns all systems that run, or the one that `system` names, with their components and threads."""
    return [take(System, value, components=Component, threads=Thread) for value in objects("ps", system=system)]


def stat(system: str | int | None = None) -> Counters:
    """Returns the counters of a system since it was loaded."""
    return take(Counters, objects("stat", system=system)[0], cpus=CpuCounters)


def top(seconds: float = 1.0, system: str | int | None = None) -> Activity:
    """Watches a system for a time, 0.001 to 3600 seconds, and returns its activity in this time."""
    value = objects("top", "--interval", round(seconds * 1000), system=system)[0]
    return take(Activity, value, cpus=CpuActivity, threads=ThreadActivity, components=ComponentActivity)
