# SPDX-License-Identifier: GPL-2.0
"""Looks at the loop when Linux is dead."""

from tests.system.lib.death import drive  # noqa: F401
