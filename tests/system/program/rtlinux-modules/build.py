# SPDX-License-Identifier: GPL-2.0
"""Builds each module, and both into the system `pair`."""

import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds the systems into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as work:
        for name, fifos in (("left", "0+4"), ("right", "4+2")):
            subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / f"modules/{name}.c", "-o", folder / f"{name}.limpet",
                            "--fifos", fifos, "--mbuff", "area=4K", "--component", work], check=True)
        subprocess.run([TOP / "tools/limpet-compose", here / "pair/pair.toml", "-o", folder / "pair.limpet",
                        "--components", TOP / "components", "--components", work, "--interfaces", TOP / "interfaces",
                        "--objects", TOP / "build/components", "--objects", work], check=True)
