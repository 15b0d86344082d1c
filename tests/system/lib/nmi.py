# SPDX-License-Identifier: GPL-2.0
"""Injects an NMI each time that `nmi_each` of system.sh asks for one."""


def drive(guest):
    """Until it asks for none any more, or the guest is over."""
    sent = 0
    while guest.wait(lambda: any(record.get("nmi") == sent + 1 or "done" in record
                                 for record in guest.records)):
        if not any(record.get("nmi") == sent + 1 for record in guest.records):
            break
        guest.monitor.human("nmi")
        sent += 1
    assert sent, "run.sh asked for no NMI"
