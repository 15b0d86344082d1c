# SPDX-License-Identifier: GPL-2.0
"""Composes a system that a property's build.py has written as text."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[2]


def compose(text: str, folder: Path, name: str, components: Path) -> None:
    """Writes NAME.toml and NAME.limpet into a folder. Components come from `components` and from the tree."""
    folder.mkdir(parents=True, exist_ok=True)
    system = folder / f"{name}.toml"
    system.write_text(text)
    subprocess.run([TOP / "tools/limpet-compose", system, "-o", system.with_suffix(".limpet"),
                    "--components", TOP / "components", "--components", components,
                    "--interfaces", TOP / "interfaces", "--objects", TOP / "build/components"], check=True)
