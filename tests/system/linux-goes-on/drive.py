# SPDX-License-Identifier: GPL-2.0
"""Injects as many NMIs as run.sh asks for."""


def drive(guest):
    """One at a time: two that arrive while a third is handled are one."""
    assert guest.wait_record("nmi")
    count = next(record["nmi"] for record in guest.records if "nmi" in record)
    told = 0
    for _ in range(count):
        guest.monitor.human("nmi")
        told += guest.wait_console("NMI received", timeout=1)
    assert told >= count * 0.8, f"Linux told of {told} NMIs of {count}"
