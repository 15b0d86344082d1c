# SPDX-License-Identifier: GPL-2.0
"""Continuously injects NMIs between two records of run.sh."""

NMIS_MAX = 200000


def drive(guest):
    """Sends NMIs between the records `nmis` and `arrived`. The CPU merges two NMIs that arrive while it handles a third
    one."""
    assert guest.wait_record("nmis"), "run.sh asked for no NMIs"
    sent = 0
    while sent < NMIS_MAX and not guest.wait_record("arrived", timeout=0.002):
        guest.monitor.human("nmi")
        sent += 1
    arrived = next((record["arrived"] for record in guest.records if "arrived" in record), None)
    assert arrived is not None, f"run.sh did not count its NMIs after {sent} were sent"
    assert arrived <= sent, f"{arrived} NMIs arrived, but {sent} were sent"
