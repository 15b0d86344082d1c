# SPDX-License-Identifier: GPL-2.0
"""Reads the reports of a loop after Linux has died and no other Linux follows. Reads them from outside, in the hidden
memory.
"""

import json
import re
import time

from tests.harness.qemu import Guest
from tests.system.lib.death import ring, systems

#: Reports of the system outlive, of 10,000 periods each, without the one in which Linux died.
REPORTS = 10
#: Maximum seconds of wall time, and seconds between two checks.
PATIENCE, PAUSE = 600, 2


def reports(text: str) -> list[dict]:
    """Returns the records of all complete reports but the first."""
    records = [json.loads(line) for line in re.findall(r"^control: (\{.*\})$", text, re.M)]
    begins = [i for i, record in enumerate(records) if "figure" in record]
    if len(begins) < REPORTS + 2:   # the text after the last report shows that it is complete
        return []
    return records[begins[1]:begins[REPORTS + 1]]


def follow(guest: Guest, subject: str = "dead") -> list[dict]:
    """Waits for Linux's death, then for the reports about `subject`."""
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
