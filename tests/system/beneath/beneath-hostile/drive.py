# SPDX-License-Identifier: GPL-2.0
"""Checks the loop after all of Linux's attacks."""

from tests.system.lib import death


def drive(guest):
    """Checks that every act was done, that no hidden memory was seen, and that the loop continues as in death.py."""
    assert guest.wait(lambda: any(r.get("acted") == "all" for r in guest.records)), \
        f"Linux did not get to its end: {guest.records[-1:]}"
    acted = [record for record in guest.records if "acted" in record]
    seen = [record["seen"] for record in acted if "seen" in record]
    assert seen and not any(seen), f"hidden words that were not 0: {seen}"
    assert "control" in acted[-1]["ps"], f"limpet ps: {acted[-1]['ps']}"
    death.drive(guest)
