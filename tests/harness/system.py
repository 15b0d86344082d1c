# SPDX-License-Identifier: GPL-2.0
"""Runs properties in guests: alone, or several that share one boot in turn."""

import concurrent.futures
import dataclasses
import functools
import importlib.util
import itertools
import os
import shlex
import threading
import time
import traceback
from collections.abc import Callable

from . import guest_python, packages, public, selftests
from .bochs import BOCHS_FACTOR, bochs_root, open_guest
from .bochs_tlb import bochs_tlb
from .initramfs import Initramfs
from .kernels import DEBUG, fetch
from .machine import Machine
from .newer_qemu import newer_qemu
from .property import FULL_COUNTS, Property
from .qemu import Guest, Result
from .slots import JOBS
from .verdict import Verdict, sort

#: Held while a property's build.py runs, because the cases share its files.
BUILDING = threading.Lock()

#: Seconds of wall time for a boot, and the factor of the debug kernel. Generous: a boot takes 3 to 20 s, but the
#: machine may be loaded.
BOOT, DEBUG_FACTOR = 120, 4


@dataclasses.dataclass(frozen=True)
class Case:
    """A property on one kernel with a number of processors."""

    property: Property
    kernel: str
    cpus: int
    mode: str = "beside"
    short: bool = False   # it always runs the counts of `make test`

    def __str__(self) -> str:
        return f"{self.property.name}-{self.variant()}"

    def variant(self) -> str:
        """Returns the kernel, the processors and the mode, for the names of cases and logs."""
        beneath = "-beneath" if self.mode == "beneath" else ""
        return f"{self.kernel}-{self.cpus}cpu{beneath}"

    def limit(self) -> float:
        """Returns the seconds of wall time for its run.sh."""
        long = self.property.timeout_long if self.long() or self.property.long else 0
        return (long or self.property.timeout) * (DEBUG_FACTOR if self.kernel == DEBUG else 1)

    def long(self) -> bool:
        """Returns whether it runs the full counts of `make test-all`."""
        return bool(os.environ.get("LIMPET_LONG")) and self.kernel in FULL_COUNTS and not self.short

    def place(self) -> tuple[int, int]:
        """Returns the index of this case among those that share the property's totals, and their number."""
        if not self.long():
            return 0, 1
        cases = self.property.cases()
        return cases.index((self.kernel, self.cpus, self.mode)), len(cases)

    def machine(self) -> Machine:
        """Returns the machine that boots for it."""
        want = self.property
        # Counting the instructions of a kernel full of checks has no use, and its timers do not calibrate then.
        counted = want.counted and self.kernel != DEBUG
        # The next Linux hangs if the kernel's own loader did not start this one: CAVEATS.md.
        loader = self.mode == "beneath"
        return Machine(kernel=self.kernel, cpus=self.cpus, emulator=want.machine, cpu=want.cpu, pcid=want.pcid,
                       counted=counted, memory=want.memory,
                       append=want.append, pti=want.pti, nopti=want.nopti, watch=want.watch,
                       qemu=(*want.qemu, *packages.words(want.packages)),
                       loglevel=want.loglevel, newer_qemu=want.newer_qemu, forward=want.forward,
                       paced=want.cable and not counted, cable=want.cable, boot=want.boot, loader=loader)


@dataclasses.dataclass
class Outcome:
    """The outcome of a case."""

    verdict: Verdict
    faults: list[str]
    report: str = ""
    elapsed: float = 0
    skipped: str = ""   # the reason why it did not run: archives of a public suite are missing


def groups(cases: list[Case]) -> list[list[Case]]:
    """Returns groups of cases that may share a guest. Other cases are alone. Those with the longest time limits come
    first, so that a long case does not start late.
    """
    together: dict = {}
    for case in cases:
        key = str(case) if not case.property.shared else case.mode + repr(case.machine())
        together.setdefault(key, []).append(case)
    return sorted(together.values(), key=lambda group: -sum(case.limit() for case in group))


class Runner:
    """Runs groups on a few threads. A pytest case waits for its own outcome. Logs have names system-`label`...

    `ended` is called on these threads with each case that has run, and its outcome, as soon as its guest has ended.
    It is not called for a case that close() may have interrupted.
    """

    def __init__(self, cases: list[Case], label: str = "",
                 ended: Callable[[Case, Outcome], None] = lambda case, outcome: None) -> None:
        self.label, self.ended = label, ended
        self.stop = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(JOBS)
        self.futures = {}
        for group in groups(cases):
            future = self.pool.submit(self._run_group, group)
            self.futures |= {str(case): future for case in group}

    def outcome(self, case: Case) -> Outcome:
        """Waits for the outcome of a case."""
        return self.futures[str(case)].result()[str(case)]

    def close(self) -> None:
        """Stops everything that still runs."""
        self.stop.set()
        self.pool.shutdown(cancel_futures=True)

    def _run_group(self, group: list[Case]) -> dict[str, Outcome]:
        # A guest that dies ends only the property that was running in it. Those that had not started get a new guest.
        outcomes = {}
        for case in group:
            try:
                if lacks := missing(case):
                    outcomes[str(case)] = Outcome(Verdict(), lacks)
            except public.Missing as error:
                outcomes[str(case)] = Outcome(Verdict(), [], skipped=str(error))
        left, guests = [case for case in group if str(case) not in outcomes], itertools.count(1)
        while left:
            done = self._boot(left, next(guests))
            outcomes |= done
            left = [case for case in left if str(case) not in done]
        return outcomes

    def _boot(self, cases: list[Case], number: int) -> dict[str, Outcome]:
        first = cases[0]
        machine = first.machine()
        machine.timeout = BOOT * (DEBUG_FACTOR if first.kernel == DEBUG else 1) * \
            (BOCHS_FACTOR if machine.emulator == "bochs" else 1)
        name = f"system-{self.label}{first if len(cases) == 1 else f'shared-{first.variant()}'}"
        name += f"-{number}" * (number > 1)     # keeps the log of the guest that died
        with open_guest(machine, initramfs(cases), name) as guest:
            guest.abort = self.stop.is_set
            clock = Clock(guest, cases)
            clock.follow()
            result = guest.finish()
        outcomes = judge(cases, result, clock.elapsed)
        if clock.fault:
            outcomes[str(first)].faults.insert(0, clock.fault)
            outcomes[str(first)].report = result.report()
        for case in cases:
            if str(case) in outcomes and not (self.stop.is_set() and clock.last in (None, case)):
                self.ended(case, outcomes[str(case)])
        return outcomes


class Clock:
    """Gives each property its own time limit, from its "begin" on."""

    def __init__(self, guest: Guest, cases: list[Case]) -> None:
        self.guest, self.cases = guest, cases
        self.elapsed: dict[str, float] = {}
        self.last: Case | None = None       # the last one that began
        self.fault = ""     # mistakes that a driver has found

    def follow(self) -> None:
        """Follows the guest through all properties. Returns when the guest has ended."""
        for case in self.cases:
            name = case.property.name
            if not self.guest.wait_record("begin", name):
                return
            self.last, start = case, time.monotonic()
            self.guest.machine.timeout = case.limit()
            self.guest.deadline = start + case.limit()
            if case.property.driver():
                self._drive(case)
            ended = self.guest.wait_record("end", name)
            self.elapsed[name] = time.monotonic() - start
            if not ended:
                return
            self.guest.deadline = time.monotonic() + 30

    def _drive(self, case: Case) -> None:
        try:
            _load(case.property, "drive").drive(self.guest)
        except Exception:   # a driver is a test, so its exception is its verdict
            self.fault = f"drive.py: {traceback.format_exc()}"


def missing(case: Case) -> list[str]:
    """Prepares a case's files. Returns the reasons why it cannot run. Raises public.Missing without a suite."""
    if case.property.builder():
        with BUILDING:
            _load(case.property, "build").build(case.property.built())
    for wanted, name, fetch_it in ((case.property.newer_qemu, "a newer QEMU", newer_qemu),
                                   (case.property.machine == "bochs", "Bochs", bochs_root),
                                   (case.property.pcid, "a Bochs with process-context ids", bochs_tlb),
                                   (case.property.selftests, "the kernel's tests", selftests.root),
                                   (case.property.packages, "Debian's packages",
                                    functools.partial(packages.root, case.property.packages))):
        try:
            if wanted:
                fetch_it()
        except RuntimeError as error:
            return [f"needs {name}, which cannot be had: {error}"]
    needs = case.property.payload(case.kernel).values()
    return [f"needs {path}: `make all KERNEL={case.kernel}` builds it"
            for path in needs if not path.exists()]


#: Restores the guest between properties. A property after which Limpet stays is the last one in its guest.
SHARED = """if grep -q '^limpet ' /proc/modules; then
	left=1
	echo '{"test": "shared guest", "ok": false, "why": "it has left Limpet attached"}' >/dev/verdict
fi
rm -rf /run/limpet /tmp/*
dmesg -c >/dev/null
"""


def script(cases: list[Case]) -> str:
    """Returns the guest's script, which runs the run.sh of each case."""
    first = cases[0]
    lines = ["#!/bin/sh", f"export LIMPET_KERNEL={first.kernel} LIMPET_CPUS={first.cpus} "
             f"LIMPET_LONG={'1' if first.long() else ''} LIMPET_MODE={first.mode}"]
    for case in cases:
        name = case.property.name
        index, count = case.place()
        lines.append(f'echo \'{{"begin": "{name}"}}\' >/dev/verdict\n'
                     f"export LIMPET_CASE={index} LIMPET_CASES={count}\n"
                     f"(cd /limpet/tests/{shlex.quote(name)} && exec sh ./run.sh)\nstatus=$?\n"
                     f"{SHARED if len(cases) > 1 else ''}"
                     f'echo "{{\\"end\\": \\"{name}\\", \\"status\\": $status}}" >/dev/verdict\n'
                     "[ -z \"$left\" ] || exit 1")
    return "\n".join([*lines, "exit 0", ""])


def initramfs(cases: list[Case]) -> Initramfs:
    """Returns a root file system with the files of all cases."""
    kernel = fetch(cases[0].kernel)
    result = Initramfs()
    modules: dict[str, None] = {}
    if any(case.property.python for case in cases):
        guest_python.add(result)
    for case in cases:
        want = case.property
        for guest, host in want.payload(case.kernel).items():
            result.file(host, guest)
        for program in want.programs:
            result.program(program)
        modules |= dict.fromkeys((*want.modules, *(packages.MODULES if want.packages else ())))
    result.modules(kernel, modules)
    result.text("/limpet/run.sh", script(cases))
    return result


def judge(cases: list[Case], result: Result, elapsed: dict) -> dict[str, Outcome]:
    """Returns outcomes of the cases that started. If no case started, all cases fail."""
    verdicts = sort(result.records)
    guilty = suspects(verdicts, result)
    outcomes = {}
    for case in cases:
        name = case.property.name
        if name not in verdicts and verdicts:
            continue
        verdict = verdicts.get(name, Verdict())
        faults = verdict.faults()
        if (not verdicts or name in guilty) and result.reason != case.property.ends:
            faults.insert(0, f"guest ended by: {result.reason}")
        elif case.property.ends != "poweroff" and result.reason == case.property.ends:
            faults = [fault for fault in faults if fault != "run.sh did not end"]
        report = result.report() if faults else ""
        outcomes[str(case)] = Outcome(verdict, faults, report, elapsed.get(name, 0))
    return outcomes


def suspects(verdicts: dict[str, Verdict], result: Result) -> list[str]:
    """Returns the properties to which the end of the guest is attributed: the one that was running, or the last one.

    A guest with an error on its console continues for some seconds, and other properties may begin meanwhile. The console
    can also be ahead of the records. So these are all properties from the one that was running at the error to the last.
    """
    begun = list(verdicts)
    if result.trouble is None:
        return begun[-1:]
    before = sum("begin" in record for record in result.records[:result.trouble_at])
    return begun[max(before - 1, 0):]


def _load(want: Property, name: str):
    spec = importlib.util.spec_from_file_location(f"{name}_{want.name}", want.folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
