# SPDX-License-Identifier: GPL-2.0
"""Checks a series of Linuxes (lib/deaths.sh) by their reports of the loop, and of the previous Linux."""

import time

#: Maximum lateness of a period's start, in instructions.
LATENESS_MAX = 1000
#: Maximum difference between the memory of two Linuxes, in KiB: each is at another address (KASLR).
MEMORY = 64
#: Maximum wall time of a Linux in seconds, from its first output to that of the next one.
PATIENCE = 300
#: Causes of a Linux's end, in the words of `limpet ps`.
DEATHS = ("it panicked", "it reset the machine", "it could not handle exceptions", "it sent no heartbeat")


def follow(guest) -> None:
    """Waits until the last Linux has reported."""
    heard, since = 0, time.monotonic()
    while not any("linuxes" in record for record in guest.records):
        for record in guest.records[heard:]:
            heard, since = heard + 1, time.monotonic()
            print(round(since - guest.started), record, flush=True)    # progress for people
        assert not guest.over(), f"the machine ended after {guest.records[-3:]}"
        assert time.monotonic() < min(guest.deadline, since + PATIENCE), \
            f"nothing is heard after {guest.records[-3:]}"
        guest.follow(0.1)


def drive(guest, maximum: int = LATENESS_MAX) -> None:
    """Checks that no Linux read hidden memory or did harm, and that a working Linux followed each."""
    follow(guest)
    linuxes = [record for record in guest.records if "linux" in record]
    last = next(record["linuxes"] for record in guest.records if "linuxes" in record)
    assert [r["linux"] for r in linuxes] == list(range(1, last + 1)), "not all Linuxes told"
    assert not any(record.get("seen") for record in guest.records), "hidden memory was seen"
    for record in linuxes:
        assert record["continues"] == 0, f"the loop stands still: {record}"
        assert record["why"] in DEATHS, f"why did the one before end? {record}"
        assert record["why"] in record["previous"], f"nothing in the log of that: {record}"
        for key, apart in (("memory", MEMORY), ("frames", 0), ("processors", 0)):
            assert abs(record[key] - linuxes[0][key]) <= apart, f"{key}: {linuxes[0]}, then {record}"
        if guest.machine.counted:   # otherwise a Linux may be silent for longer than the ring can hold reports
            assert record["dropped"] == 0, f"reports are lost: {record}"
            assert record["missed"] == 0, f"periods were missed: {record}"
            assert record["worst"] <= maximum, f"a period began late: {record}"
