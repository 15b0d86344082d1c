# SPDX-License-Identifier: GPL-2.0
"""Builds the program `same` for Linux, from the source and with the C library of the component posix-same."""

import subprocess
from pathlib import Path


def build(folder: Path) -> None:
    """Builds the program into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).parent / "posix-same/same.c"
    subprocess.run(["musl-gcc", "-static", "-O2", "-o", folder / "same", source], check=True)
