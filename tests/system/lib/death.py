# SPDX-License-Identifier: GPL-2.0
"""Checks the loop after Linux's death, in the memory that was hidden from Linux."""

import json
import re
import struct
import tempfile
import time
from pathlib import Path

#: Maximum lateness of a period's start, in instructions.
LATENESS_MAX = 1000
#: Number of checks that must find new text in the console's ring, with a second between two checks, and the time limit.
#: (A Linux that spins leaves no idle time to skip, and one that faults without end executes few instructions. Then time
#: passes slowly in a counted run, and few reports come.)
CHANGES, PATIENCE = 2, 300
#: MiB at the end of the hidden memory that are for systems, the default of attach.
SYSTEMS = 64
#: A line of the log. A line that wraps at the end of the ring does not match, because other memory follows it.
FIGURE = re.compile(rb'control: (\{"figure": \{[ -z|~]*\}\})\n')
OVERRUNS = re.compile(rb'control: (\{"overruns": \{[ -z|~]*\}\})\n')
#: struct limpet_ring of include/limpet/ring.h: offsets, and its data.
MAGIC, VERSION = 0x676e697270756d6c, 1
HEAD, DROPPED, TAIL, DATA = 64, 72, 128, 192
PAGE = 4096


def systems(guest, where: str) -> bytes:
    """Returns the hidden memory of the components, which includes the console's ring."""
    size, address = re.fullmatch(r"(\d+) MiB hidden at (0x[0-9a-f]+)", where).groups()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hidden"
        guest.monitor.execute("pmemsave", val=int(address, 16) + (int(size) - SYSTEMS << 20),
                              size=SYSTEMS << 20, filename=str(path))
        return path.read_bytes()


def ring(memory: bytes) -> tuple[int, int, str]:
    """Returns the console's ring: bytes that were read, bytes that were dropped, and the unread text."""
    for at in range(0, len(memory), PAGE):
        magic, version, size = struct.unpack_from("<QII", memory, at)
        head, dropped = struct.unpack_from("<QQ", memory, at + HEAD)
        # The booter has created the head, but no text was written.
        if (magic, version) == (MAGIC, VERSION) and head:
            break
    else:
        raise RuntimeError("no console in the hidden memory")
    [tail] = struct.unpack_from("<Q", memory, at + TAIL)
    data = memory[at + DATA:at + DATA + size]
    return tail, dropped, bytes(data[i % size] for i in range(tail, head)).decode()


def written(memory: bytes) -> int:
    """Returns how much components have written to the console: bytes read, unread and dropped."""
    read, dropped, text = ring(memory)
    return read + len(text) + dropped


def continues(guest, where: str) -> bytes:
    """Checks that the loop still reports periods on the console. Returns the memory afterwards.

    Other memory shows less. The timer that bounds Linux's share changes its own frames while all components stand still.
    """
    memory, changes, end = systems(guest, where), 0, time.monotonic() + PATIENCE
    while changes < CHANGES:
        assert time.monotonic() < end, f"the loop stands still: {changes} changes in {PATIENCE} s"
        time.sleep(1)
        last, memory = memory, systems(guest, where)
        changes += written(memory) > written(last)
    return memory


def told(pattern: re.Pattern, memory: bytes) -> list[dict]:
    """Returns the loop's reports, in the order of memory."""
    return [next(iter(json.loads(text).values())) for text in pattern.findall(memory)]


def drive(guest):
    """Waits until Linux prints nothing more, then checks the loop twice, and ends the machine."""
    assert guest.wait(lambda: any("hidden" in record for record in guest.records)), "no loop"
    where = next(record["hidden"] for record in guest.records if "hidden" in record)
    assert guest.wait(lambda: any("last words" in line for line in guest.lines)), "no last words"
    time.sleep(2)
    memory = continues(guest, where)
    guest.wait(lambda: False, 1)    # remaining output
    guest.monitor.execute("system_reset")
    assert not any("Linux lives on" in line for line in guest.lines), "it did not die"
    if guest.machine.counted:
        worst = max(figure["max"] for figure in told(FIGURE, memory))
        assert worst <= LATENESS_MAX, f"a period began {worst} instructions late"
        missed = [entry for entry in told(OVERRUNS, memory) if entry["count"]]
        assert not missed, f"periods were missed: {missed}"
