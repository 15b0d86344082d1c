# SPDX-License-Identifier: GPL-2.0
"""Judges what the Linuxes tell; and that they have done enough."""

from tests.system.lib import deaths

#: How late a period may begin, in instructions: more than elsewhere, since these Linuxes cause exits, and
#: interrupts that nobody can keep out, as fast as they can.
MOST = 2000


def drive(guest):
    """Each Linux plays several seeds, until it is dead."""
    deaths.drive(guest, MOST)
    played = sum("seed" in record for record in guest.records)
    wanted = next(record["wanted"] for record in guest.records if "wanted" in record)
    assert played >= wanted, f"{played} seeds were played, of {wanted}"
