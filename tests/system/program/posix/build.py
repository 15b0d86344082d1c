# SPDX-License-Identifier: GPL-2.0
"""Builds programs for Linux from the sources of components: C with musl, C++ with GCC's C++ library."""

import subprocess
from pathlib import Path


def build(folder: Path) -> None:
    """Builds the programs into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    for compiler, name, sources in (("musl-gcc", "same", sorted((here / "posix-same").glob("*.c"))),
                                    ("musl-gcc", "sockets", [here / "posix-sockets/sockets.c"]),
                                    ("g++", "cpp", sorted((here / "posix-cpp").glob("*.cpp")))):
        subprocess.run([compiler, "-static", "-O2", "-o", folder / name, *sources], check=True)
