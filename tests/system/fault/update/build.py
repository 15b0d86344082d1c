# SPDX-License-Identifier: GPL-2.0
"""Builds images of the system with different builds of the component updated."""

import shutil
import subprocess
from pathlib import Path

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[4]
#: Compiler options for each image.
BUILDS = {"second": ["-DBUILD=2"], "crash": ["-DBUILD=3", "-DCRASH"], "fail": ["-DBUILD=4", "-DFAIL"],
          "state": ["-DBUILD=5", "-DVERSION=2"], "more": ["-DBUILD=6", "-DMORE"]}


def build_one(folder: Path, flags: list[str]) -> None:
    """Compiles updated with the flags, and composes <folder>.limpet."""
    source = folder / "updated"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / "updated", source)
    if "-DMORE" in flags:
        definition = source / "component.toml"
        definition.write_text(definition.read_text().replace('["fragile"]', '["fragile", "heartbeat"]'))
    subprocess.run([ROOT / "tools/limpet-component", source, "-o", folder / "updated.o", f"--cflags={' '.join(flags)}"],
                   check=True)
    subprocess.run([ROOT / "tools/limpet-compose", HERE / "update.toml", "-o", folder.with_suffix(".limpet"),
                    "--components", folder, "--components", HERE, "--components", ROOT / "components",
                    "--objects", folder, "--objects", ROOT / "build/components"], check=True)
    shutil.rmtree(folder)


def build(folder: Path) -> None:
    """Builds all images into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, flags in BUILDS.items():
        build_one(folder / name, flags)
