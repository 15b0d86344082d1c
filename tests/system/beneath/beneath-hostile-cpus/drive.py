# SPDX-License-Identifier: GPL-2.0
"""Checks the reports of all Linuxes."""

from tests.system.lib.deaths import drive  # noqa: F401
