# SPDX-License-Identifier: GPL-2.0
"""Builds the program of the other host, which uses DDS and does not know Limpet."""

import subprocess
from pathlib import Path

SOURCES = Path(__file__).parents[3] / "unit/bridge"


def build(folder: Path) -> None:
    """Generates the types with DDS's own compiler, and builds the program."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["idlc", "-o", folder, SOURCES / "types.idl"], check=True)
    program = folder / "peer"
    subprocess.run(["gcc", "-O2", f"-I{folder}", "-o", program, SOURCES / "peer.c", folder / "types.c", "-lddsc"],
                   check=True)
