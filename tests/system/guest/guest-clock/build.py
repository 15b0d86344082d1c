# SPDX-License-Identifier: GPL-2.0
"""Builds the program that prints times with another C library, musl, which finds the vDSO in its own way."""

import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def build(folder: Path) -> None:
    """Builds times-musl into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["musl-gcc", "-static", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", HERE / "times.c",
                    "-o", folder / "times-musl"], check=True)
