# SPDX-License-Identifier: GPL-2.0
"""Writes the symbols of the system part, for `limpet log --symbols`."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Writes the files into a folder."""
    here = Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/limpet-compose", here / "part.toml", "--debug", folder / "symbols",
                    "--components", TOP / "components", "--components", here, "--interfaces", TOP / "interfaces",
                    "--objects", TOP / "build/components"], check=True)
