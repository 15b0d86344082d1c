# SPDX-License-Identifier: GPL-2.0
"""Injects an NMI for each request by `nmi_each` of system.sh."""


def drive(guest):
    """Sends NMIs until the guest requests no more, or ends."""
    sent = 0
    while guest.wait(lambda: any(record.get("nmi") == sent + 1 or "done" in record
                                 for record in guest.records)):
        if not any(record.get("nmi") == sent + 1 for record in guest.records):
            break
        guest.monitor.human("nmi")
        sent += 1
    assert sent, "run.sh asked for no NMI"
