# SPDX-License-Identifier: GPL-2.0
"""Injects the NMIs that run.sh requests."""

from tests.system.lib.nmi import drive  # noqa: F401
