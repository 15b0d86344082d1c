# SPDX-License-Identifier: GPL-2.0
"""Builds the module."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds the system into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", Path(__file__).parent / "modules/steady.c", "-o",
                    folder / "steady.limpet", "--fifos", "0+2", "--mbuff", "area=4K",
                    "--linux-restarts", "1"], check=True)
