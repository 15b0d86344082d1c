# SPDX-License-Identifier: GPL-2.0
"""Composes a system that a property's build.py has written as text."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[2]

#: The first components of most systems.
SCHED_AND_LOG = """
[[component]]
name  = "sched"
image = "sched.fixed-priority"

[[component]]
name  = "log"
image = "log"
"""


def compose(text: str, folder: Path, name: str, components: Path | None = None) -> None:
    """Writes NAME.toml and NAME.limpet into a folder. Components come from `components`, if given, and from the tree."""
    folder.mkdir(parents=True, exist_ok=True)
    system = folder / f"{name}.toml"
    system.write_text(text)
    own = ["--components", components] if components else []
    subprocess.run([TOP / "tools/limpet-compose", system, "-o", system.with_suffix(".limpet"),
                    "--components", TOP / "components", *own, "--interfaces", TOP / "interfaces",
                    "--objects", TOP / "build/components"], check=True)
