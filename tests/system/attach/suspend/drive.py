# SPDX-License-Identifier: GPL-2.0
"""Wakes the machine: from suspend to idle by its power button, from suspend to memory by another device."""

WAKERS = {"idle": "system_powerdown", "memory": "system_wakeup"}
#: Seconds between the guest's report and its sleep. While it is awake, neither command has an effect, and the test
#: fails.
DELAY = 4


def drive(guest):
    """Wakes the guest each time that it reports that it will sleep."""
    for state, command in WAKERS.items():
        if not guest.wait(lambda state=state: any(record.get("sleep") == state or "done" in record for record in guest.records)):
            return
        guest.wait(lambda: False, DELAY)
        guest.monitor.human(command)
