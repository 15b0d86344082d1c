# SPDX-License-Identifier: GPL-2.0
"""Builds the module twice: without a restart, and with at most three restarts."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds the systems into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, options in (("once", []), ("again", ["--restart", "3"])):
        subprocess.run([TOP / "tools/limpet-rtlinux", "build", Path(__file__).parent / "modules/wild.c", "-o", folder / f"{name}.limpet",
                        "--fifos", "0+2", "--mbuff", "lives=4K", *options], check=True)
