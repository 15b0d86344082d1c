# SPDX-License-Identifier: GPL-2.0
"""Composes systems with parts on all processors, and on half of them."""

from pathlib import Path

from tests.harness.sides import sides


def build(folder: Path) -> None:
    """Writes the images into a folder."""
    for cpus in (4, 8):
        sides(folder, cpus, rounds=500)
