# SPDX-License-Identifier: GPL-2.0
"""Injects as many NMIs as run.sh asks for."""


def drive(guest):
    """One at a time, with a moment of guest time in between."""
    assert guest.wait_record("nmi")
    count = next(record["nmi"] for record in guest.records if "nmi" in record)
    for _ in range(count):
        guest.monitor.human("nmi")
        guest.follow(0.005)
