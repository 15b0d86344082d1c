# SPDX-License-Identifier: GPL-2.0
"""Checks the reports of all Linuxes, and the number of played seeds."""

from tests.system.lib import deaths

#: Maximum lateness of a period, in instructions. It is higher than in other tests, because these Linuxes cause exits
#: and interrupts, which cannot be blocked, at the maximum rate.
LATENESS_MAX = 2000


def drive(guest):
    """Checks the series. Each Linux plays several seeds until it dies."""
    deaths.drive(guest, LATENESS_MAX)
    played = sum("seed" in record for record in guest.records)
    wanted = next(record["wanted"] for record in guest.records if "wanted" in record)
    assert played >= wanted, f"{played} seeds were played, of {wanted}"
