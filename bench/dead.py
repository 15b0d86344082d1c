# SPDX-License-Identifier: GPL-2.0
"""What a loop tells when Linux is dead and nobody follows: read from outside, in the hidden memory."""

import json
import re
import struct
import time

from tests.harness.qemu import Guest
from tests.system.lib.death import systems

#: Reports of the system outlive, 10,000 periods each; the one in which Linux died is not among them.
REPORTS = 10
#: Wall seconds: at the most, and between two looks.
PATIENCE, PAUSE = 600, 2
#: struct limpet_ring of include/limpet/ring.h: offsets, and its data.
MAGIC, VERSION = 0x676e697270756d6c, 1
HEAD, DROPPED, TAIL, DATA = 64, 72, 128, 192
PAGE = 4096


def ring(memory: bytes) -> tuple[int, int, str]:
    """Of the console's ring: bytes that were read, bytes that had no room, and what is unread."""
    for at in range(0, len(memory), PAGE):
        magic, version, size = struct.unpack_from("<QII", memory, at)
        head, dropped = struct.unpack_from("<QQ", memory, at + HEAD)
        # Nothing was ever written where the booter has made its head.
        if (magic, version) == (MAGIC, VERSION) and head:
            break
    else:
        raise RuntimeError("no console in the hidden memory")
    [tail] = struct.unpack_from("<Q", memory, at + TAIL)
    data = memory[at + DATA:at + DATA + size]
    return tail, dropped, bytes(data[i % size] for i in range(tail, head)).decode()


def reports(text: str) -> list[dict]:
    """The records of all whole reports but the first."""
    records = [json.loads(line) for line in re.findall(r"^control: (\{.*\})$", text, re.M)]
    begins = [i for i, record in enumerate(records) if "figure" in record]
    if len(begins) < REPORTS + 2:   # what follows the last one shows that it is whole
        return []
    return records[begins[1]:begins[REPORTS + 1]]


def follow(guest: Guest, subject: str = "dead") -> list[dict]:
    """Wait for Linux's death, then for the reports; they are about `subject`."""
    if not guest.wait_record("hidden") or \
            not guest.wait(lambda: any("Kernel panic" in line for line in guest.lines)):
        raise RuntimeError(guest.finish().report())
    [where] = [record["hidden"] for record in guest.records if "hidden" in record]
    guest.wait(lambda: False, PAUSE)
    read, _, _ = ring(systems(guest, where))
    end, found = time.monotonic() + PATIENCE, []
    while not found:
        guest.wait(lambda: False, PAUSE)
        if guest.over() or time.monotonic() > end:
            raise RuntimeError(f"too few reports of the loop: {guest.finish().report()}")
        last, dropped, text = ring(systems(guest, where))
        if last != read or dropped:
            raise RuntimeError(f"Linux reads on, or the console is full: {last - read}, {dropped}")
        found = reports(text)
    return [_about(record, subject) for record in found]


def _about(record: dict, subject: str) -> dict:
    [(kind, value)] = record.items()
    if kind == "overruns" and value["count"]:
        raise RuntimeError(f"periods were missed: {record}")
    return {kind: value | {"subject": subject}}
