# SPDX-License-Identifier: GPL-2.0
"""After Linux's death: what the loop goes on to tell, in the memory that was hidden from Linux."""

import json
import re
import tempfile
import time
from pathlib import Path

#: How late a period may begin, in instructions; how many reports are waited for; for each, wall seconds
#: (a Linux that spins for ever leaves the machine no idle time to skip); reports in a full console, at least.
MOST, REPORTS, PATIENCE, FULL = 1000, 5, 60, 50
FIGURE = re.compile(rb'control: (\{"figure": \{[^\n{}]*\}\})\n')
OVERRUNS = re.compile(rb'control: (\{"overruns": \{[^\n{}]*\}\})\n')


def console(guest, where: str) -> bytes:
    """The hidden memory, in which the console's ring is."""
    size, address = re.fullmatch(r"(\d+) MiB hidden at (0x[0-9a-f]+)", where).groups()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hidden"
        guest.monitor.execute("pmemsave", val=int(address, 16), size=int(size) << 20,
                              filename=str(path))
        return path.read_bytes()


def spots(memory: bytes) -> set:
    """Reports and where they stand: the console is a ring."""
    return {(match.start(), match[0]) for match in FIGURE.finditer(memory)}


def goes_on(guest, where: str) -> tuple[bytes, str]:
    """Waits for reports that were not there yet; the memory in the end, and what is wrong: "" if nothing.

    Where the machine skips idle time, the console may be full of them before anyone looks, and takes no
    more then; but what the loop counts still changes.
    """
    memory = console(guest, where)
    before, new, heard = spots(memory), set(), time.monotonic()
    while len(new) < REPORTS and time.monotonic() < heard + PATIENCE:
        time.sleep(1)
        last, memory = memory, console(guest, where)
        if len(before) >= FULL and memory != last:
            return memory, ""
        if spots(memory) - before != new:
            new, heard = spots(memory) - before, time.monotonic()
    wrong = f"{len(before)} reports, then {len(new)} others in {PATIENCE} s"
    return memory, wrong if len(new) < REPORTS else ""


def told(pattern: re.Pattern, memory: bytes) -> list[dict]:
    """What the loop has told, in the order of memory."""
    return [next(iter(json.loads(text).values())) for text in pattern.findall(memory)]


def drive(guest):
    """Wait until Linux says nothing any more, then look at the loop twice; then end the machine."""
    assert guest.wait(lambda: any("hidden" in record for record in guest.records)), "no loop"
    where = next(record["hidden"] for record in guest.records if "hidden" in record)
    assert guest.wait(lambda: any("last words" in line for line in guest.lines)), "no last words"
    time.sleep(2)
    memory, wrong = goes_on(guest, where)
    guest.wait(lambda: False, 1)    # what it still had to say
    guest.monitor.execute("system_reset")
    assert not any("Linux lives on" in line for line in guest.lines), "it did not die"
    assert not wrong, wrong
    if guest.machine.counted:
        worst = max(figure["max"] for figure in told(FIGURE, memory))
        assert worst <= MOST, f"a period began {worst} instructions late"
        missed = [entry for entry in told(OVERRUNS, memory) if entry["count"]]
        assert not missed, f"periods were missed: {missed}"
