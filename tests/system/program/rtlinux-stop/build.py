# SPDX-License-Identifier: GPL-2.0
"""Builds the module with each of its ends, and a system with two such modules."""

import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[4]
#: Systems, and the parameter `end` of their module.
ENDS = {"well": 0, "hangs": 1, "crashes": 2, "crashed": 3}


def build(folder: Path) -> None:
    """Builds the systems into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as work:
        for number, (name, end) in enumerate(ENDS.items()):
            subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "modules/ends.c", "-o", folder / f"{name}.limpet",
                            "--fifos", f"{number + 8}+1", "--parameter", f"end={end}", "--parameter", f"fifo={number + 8}",
                            "--component", work], check=True)
        subprocess.run([TOP / "tools/limpet-compose", here / "two/two.toml", "-o", folder / "two.limpet",
                        "--components", TOP / "components", "--components", work, "--interfaces", TOP / "interfaces",
                        "--objects", TOP / "build/components", "--objects", work], check=True)
