# SPDX-License-Identifier: GPL-2.0
"""Wakes the machine: from suspend to idle by its power button, from suspend to memory by another device."""

#: Seconds between two tries to wake the guest from suspend to idle. While it is awake, a try has no effect.
TRY = 4


def drive(guest):
    """Wakes the guest each time that it reports that it will sleep."""
    if not guest.wait(lambda: sleeps(guest, "idle")):
        return
    before = len(guest.records)
    while not guest.wait(lambda: len(guest.records) > before, TRY) and not guest.over():
        guest.monitor.human("system_powerdown")
    if guest.wait(lambda: sleeps(guest, "memory")) and guest.wait(lambda: asleep(guest)):
        guest.wait(lambda: False, TRY)
        guest.monitor.human("system_wakeup")


def sleeps(guest, state):
    """Returns whether the guest has reported that it will sleep, or that its tests are done."""
    return any(record.get("sleep") == state or "done" in record for record in guest.records)


def asleep(guest):
    """Returns whether QEMU has reported that the guest has entered suspend to memory."""
    guest.monitor.poll()
    return guest.monitor.saw("SUSPEND")
