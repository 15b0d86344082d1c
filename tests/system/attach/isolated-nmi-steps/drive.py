# SPDX-License-Identifier: GPL-2.0
"""Stops the processor at each instruction of host/linux/isolate/entry.S on the ways to and from a component. Injects an
NMI and a machine check there. Compares all registers at the entry, in Linux's handler, and after the return.
"""

import dataclasses
from collections import Counter

from tests.harness.gdb import Gdb

STUB = 16           # size of ENTRY_STUB in bytes
INVALID, PAGE_FAULT, TIMER = 6, 14, 0xec
MARK = 0x1000       # marks the restricted table in CR3
RESUME = 1 << 16    # flag that the return from an exception can set
#: Passes of REP MOVSQ, of its 256, that get events. All other instructions have one pass.
PASSES = (0, 1, 200)

#: The ways, each with the minimum of instructions with the restricted table, and with a component's.
WAYS = {"timer": (6, 2), "page fault": (5, 2), "invalid instruction": (6, 2), "system call": (5, 2), "sysret": (8, 10),
        "iret": (7, 19)}


@dataclasses.dataclass(frozen=True)
class Event:
    """An event that arrives although interrupts are disabled."""

    vector: int
    handler: str    # a function of Linux
    command: str    # a command of QEMU's monitor


#: The machine check reports an uncorrected error whose action is optional: valid, uncorrected, enabled, signalled. The
#: interrupted code can continue. Linux logs it.
EVENTS = {"NMIs": Event(2, "exc_nmi", "nmi"),
          "machine checks": Event(18, "exc_machine_check", "mce 0 9 0xb100000000000000 5 0 0")}


class Steps:
    """Injects events at the instructions of a way."""

    def __init__(self, gdb: Gdb, at: dict[str, int]) -> None:
        self.gdb, self.at = gdb, at
        self.sent: Counter = Counter()
        self.repeated = 0

    def follow(self, first: int) -> tuple[int, int]:
        """Injects each event at each instruction from `first` until the code is left. Returns the number of
        instructions with the restricted table and with a component's.
        """
        self.gdb.stop_at(first)
        assert self.gdb.go() == first
        passes: Counter = Counter()
        marked: Counter = Counter()
        while self._inside(before := self.gdb.registers()):
            if passes[before["rip"]] in PASSES:
                for name, event in EVENTS.items():
                    self._inject(before, event)
                    self.sent[name] += 1
            if not passes[before["rip"]]:
                marked[bool(before["cr3"] & MARK)] += 1
            passes[before["rip"]] += 1
            self.gdb.step()
        return marked[True], marked[False]

    def _inside(self, registers: dict[str, int]) -> bool:
        return self.at["isolate_stubs"] <= registers["rip"] < self.at["isolate_text_end"]

    def _inject(self, before: dict[str, int], event: Event) -> None:
        where = f"{event.command} at {before['rip']:#x}, CR3 {before['cr3']:#x}"
        stub, handler = self.at["isolate_stubs"] + event.vector * STUB, self.at[event.handler]
        self.gdb.stop_at(before["rip"], stub, handler)
        self.gdb.guest.monitor.human(event.command)
        assert self.gdb.go() == stub, f"{where}: it did not arrive there"
        self._entered(before, where)
        self._leave()
        place = self._next(before)
        assert place == handler, f"{where}: stopped at {place:#x}, not in Linux's handler"
        self._handled(before, where)
        self._leave()
        assert self._next(before) == before["rip"], f"{where}: no return"
        after = self.gdb.registers()
        changed = {name: f"{value:#x}, {after[name]:#x}" for name, value in before.items()
                   if (value ^ after[name]) & ~(RESUME if name == "eflags" else 0)}
        assert not changed, f"{where} changed {changed}"

    def _leave(self) -> None:
        """Executes the instruction at which the guest has stopped, and which changes rip. Rarely, QEMU ends a step before
        it has executed the instruction. Then this repeats the step. If a second event had arrived instead, Linux's count
        of events at the end would be wrong.
        """
        place = self.gdb.registers()["rip"]
        self.gdb.step()
        if self.gdb.registers()["rip"] == place:
            self.repeated += 1
            self.gdb.step()

    def _next(self, before: dict[str, int]) -> int:
        """Continues to the next stop, but passes the event's own way through the interrupted code."""
        while True:
            place = self.gdb.go()
            if place != before["rip"] or self.gdb.registers()["rsp"] == before["rsp"]:
                return place
            self.gdb.step()

    def _entered(self, before: dict[str, int], where: str) -> None:
        """Checks that the stub has the table, the GS base and a frame of the interrupted instruction."""
        now = self.gdb.registers()
        same = [name for name in ("cr3", "gs_base", "k_gs_base") if now[name] != before[name]]
        assert not same, f"{where}: the entry has changed {same}"
        ip, cs, flags, sp, ss = self.gdb.words(now["rsp"], 5)
        assert (ip, cs, sp, ss) == tuple(before[name] for name in ("rip", "cs", "rsp", "ss")), f"{where}: its frame"
        assert not flags & 0x200, f"{where}: interrupts were on"

    def _handled(self, before: dict[str, int], where: str) -> None:
        """Checks that Linux's handler has the kernel's GS base, and an unmarked table."""
        now = self.gdb.registers()
        assert now["cr3"] == before["cr3"] & ~MARK, f"{where}: Linux's handler has CR3 {now['cr3']:#x}"
        base = max(before["gs_base"], before["k_gs_base"])
        assert now["gs_base"] == base >= 1 << 63, f"{where}: Linux's handler has GS base {now['gs_base']:#x}"


def drive(guest):
    """Injects events on each way, and reports their numbers to run.sh."""
    assert guest.wait_record("symbols"), "run.sh found no symbols"
    [found] = [record["symbols"] for record in guest.records if "symbols" in record]
    at = {name: int(value, 16) for name, value in found.items()}
    stubs = {name: at["isolate_stubs"] + vector * STUB
             for name, vector in (("timer", TIMER), ("page fault", PAGE_FAULT), ("invalid instruction", INVALID))}
    first = stubs | {"system call": at["isolate_syscall"], "sysret": at["isolate_sysret"], "iret": at["isolate_iret"]}
    with Gdb(guest) as gdb:
        steps = Steps(gdb, at)
        for name, counts in WAYS.items():
            seen = steps.follow(first[name])
            assert all(have >= want for have, want in zip(seen, counts)), f"{name}: {seen} instructions, not {counts}"
    print(f"isolated-nmi-steps: QEMU ended {steps.repeated} steps too early")
    guest.verdicts.send(" ".join(str(steps.sent[name]) for name in EVENTS) + "\n")
