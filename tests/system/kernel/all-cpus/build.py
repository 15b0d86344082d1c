# SPDX-License-Identifier: GPL-2.0
"""Composes a system with a part on each of the maximum number of processors."""

from pathlib import Path

from tests.harness.sides import sides


def build(folder: Path) -> None:
    """Writes the image into a folder."""
    sides(folder, 64, rounds=20)
