# SPDX-License-Identifier: GPL-2.0
"""Checks the loop after Linux's death."""

from tests.system.lib.death import drive  # noqa: F401
