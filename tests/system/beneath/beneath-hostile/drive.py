# SPDX-License-Identifier: GPL-2.0
"""Looks at the loop when Linux has done its worst."""

from tests.system.lib import death


def drive(guest):
    """Every act was done, nothing hidden was seen, and the loop is as death.py wants it."""
    assert guest.wait(lambda: any(r.get("acted") == "all" for r in guest.records)), \
        f"Linux did not get to its end: {guest.records[-1:]}"
    acted = [record for record in guest.records if "acted" in record]
    seen = [record["seen"] for record in acted if "seen" in record]
    assert seen and not any(seen), f"hidden words that were not 0: {seen}"
    assert "control" in acted[-1]["ps"], f"limpet ps: {acted[-1]['ps']}"
    death.drive(guest)
