# SPDX-License-Identifier: GPL-2.0
"""Builds the module. FIFOs 0 and 1 connect it with Linux."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds the system into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", Path(__file__).parent / "modules/computing.c", "-o",
                    folder / "computing.limpet", "--fifos", "0+2"], check=True)
