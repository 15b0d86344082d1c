# SPDX-License-Identifier: GPL-2.0
"""After Linux's death: what the loop goes on to tell, in the memory that was hidden from Linux."""

import json
import re
import tempfile
import time
from pathlib import Path

#: How late a period may begin, in instructions; how many reports are waited for, wall seconds.
MOST, REPORTS, PATIENCE = 1000, 10, 60
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


def told(pattern: re.Pattern, memory: bytes) -> list[dict]:
    """What the loop has told, in the order of memory."""
    return [next(iter(json.loads(text).values())) for text in pattern.findall(memory)]


def drive(guest):
    """Wait until Linux says nothing any more, then look at the loop twice; then end the machine."""
    assert guest.wait(lambda: any("hidden" in record for record in guest.records)), "no loop"
    where = next(record["hidden"] for record in guest.records if "hidden" in record)
    assert guest.wait(lambda: any("last words" in line for line in guest.lines)), "no last words"
    time.sleep(2)
    before = len(told(FIGURE, console(guest, where)))
    end = time.monotonic() + PATIENCE
    after = before
    while after < before + REPORTS and time.monotonic() < end:
        time.sleep(1)
        memory = console(guest, where)
        after = len(told(FIGURE, memory))
    guest.wait(lambda: False, 1)    # what it still had to say
    guest.monitor.execute("system_reset")
    # In counted time the ring may be full before anyone looks; then there are very many.
    assert not any("Linux lives on" in line for line in guest.lines), "it did not die"
    assert after >= before + REPORTS or before > 5 * REPORTS, f"{before} reports, then {after}"
    if guest.machine.counted:
        worst = max(figure["max"] for figure in told(FIGURE, memory))
        assert worst <= MOST, f"a period began {worst} instructions late"
        missed = [entry for entry in told(OVERRUNS, memory) if entry["count"]]
        assert not missed, f"periods were missed: {missed}"
