# SPDX-License-Identifier: GPL-2.0
"""Builds the module with the ports and the interrupt of the serial port."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds the system into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", Path(__file__).parent / "modules/uart.c", "-o",
                    folder / "uart.limpet", "--ports", "0x2e8-0x2ef", "--interrupts", "5"], check=True)
