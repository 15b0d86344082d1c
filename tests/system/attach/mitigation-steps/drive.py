# SPDX-License-Identifier: GPL-2.0
"""Executes entries and exits in single steps, and compares their mitigations with those that Linux has chosen.

An entry must execute each mitigation before its first return and its first indirect jump. With IBRS, an exit must clear
the bit, and execute no return or indirect jump after that. QEMU does not emulate the MSRs, so their writes are found by
their instructions.
"""

import dataclasses

from tests.harness.gdb import Gdb

STUB = 16           # size of ENTRY_STUB in bytes
INVALID, PAGE_FAULT, TIMER = 6, 14, 0xec
SPEC_CTRL, PRED_CMD = 0x48, 0x49
PASSES = 3          # each way is followed this many times
STEPS_MAX = 3000    # clearing the branch history takes some hundred
UNTRAIN = ("entry_untrain_ret", "retbleed_untrain_ret", "srso_untrain_ret", "srso_alias_untrain_ret")


@dataclasses.dataclass
class Way:
    """The mitigations that were executed on the way, in order, with the number of returns and indirect jumps before."""

    done: list[tuple[str, int]]
    jumps: int = 0

    def names(self) -> list[str]:
        """Returns the mitigations."""
        return [name for name, _ in self.done]


def indirect(code: bytes) -> bool:
    """Returns whether the instruction is a return, or an indirect jump or call."""
    code = code.lstrip(b"\x2e\x3e\x41\xf3\xf2")
    return code[0] in (0xc2, 0xc3) or (code[0] == 0xff and code[1] >> 3 & 7 in (2, 4))


def follow(gdb: Gdb, at: dict[str, int], first: int, last: set[int]) -> Way:
    """Executes a way from its first instruction to one of the last, or to user level."""
    way = Way([])
    gdb.stop_at(first)
    assert gdb.go() == first
    gdb.stop_at()
    for _ in range(STEPS_MAX):
        now = gdb.registers()
        if now["rip"] in last or now["cs"] & 3:
            return way
        code = gdb.words(now["rip"], 1)[0].to_bytes(8, "little")
        if code.startswith(b"\x0f\x30"):
            msr, value = now["rcx"] & 0xffffffff, now["rax"] & 1
            way.done.append(({(PRED_CMD, 1): "ibpb", (SPEC_CTRL, 1): "ibrs", (SPEC_CTRL, 0): "ibrs off"}
                             .get((msr, value), f"MSR {msr:#x}"), way.jumps))
        elif now["rip"] == at.get("clear_bhb_loop"):
            way.done.append(("history", way.jumps))
        elif now["rip"] in {at.get(name) for name in UNTRAIN} and "untrain" not in way.names():
            way.done.append(("untrain", way.jumps))
        way.jumps += indirect(code)
        gdb.step()
    raise AssertionError(f"no end after {STEPS_MAX} steps from {first:#x}: {way}")


def entry_judged(name: str, way: Way, chosen: set[str]) -> None:
    """Checks an entry. Linux clears the branch history at system calls alone."""
    wanted = chosen if name == "system call" else chosen - {"history"}
    assert sorted(way.names()) == sorted(wanted), f"{name}: {way}, Linux has chosen {sorted(chosen)}"
    # Linux's functions return, so only the first mitigation comes before each return.
    assert not way.done or way.done[0][1] == 0, f"{name}: {way} jumps before the first mitigation"


def exit_judged(name: str, way: Way, chosen: set[str]) -> None:
    """Checks an exit."""
    wanted = ["ibrs off"] if "ibrs" in chosen else []
    assert way.names() == wanted, f"{name}: {way}, Linux has chosen {sorted(chosen)}"
    assert not wanted or way.done[0][1] == way.jumps, f"{name}: {way} jumps after IBRS is off"


def drive(guest):
    """Follows each way, and reports their number to run.sh."""
    assert guest.wait_record("symbols"), "run.sh found no symbols"
    [found] = [record for record in guest.records if "symbols" in record]
    at = {name: int(value, 16) for name, value in found["symbols"].items()}
    chosen, kind = set(found["mitigations"].split()), found["kind"]
    entries = {name: at[f"{kind}_stubs"] + vector * STUB
               for name, vector in (("timer", TIMER), ("page fault", PAGE_FAULT), ("invalid instruction", INVALID))}
    entries["system call"] = at[f"{kind}_syscall"]
    exits = {"sysret": at["exit_sysret"], "iret": at["exit_iret"]}
    followed = 0
    with Gdb(guest) as gdb:
        for _ in range(PASSES):
            for name, first in entries.items():
                entry_judged(name, follow(gdb, at, first, {at["syscall_continue"], at["trap_user"]}), chosen)
                followed += 1
            for name, first in exits.items():
                exit_judged(name, follow(gdb, at, first, set()), chosen)
                followed += 1
    guest.verdicts.send(f"{followed}\n")
