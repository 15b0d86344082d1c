# SPDX-License-Identifier: GPL-2.0
"""Judges what the Linuxes tell."""

from tests.system.lib.deaths import drive  # noqa: F401
