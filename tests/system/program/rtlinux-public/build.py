# SPDX-License-Identifier: GPL-2.0
"""Builds the programs of expected/programs.toml: each module into a system, and its partner into a static program for Linux."""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness.public import archive, extract    # noqa: E402

PROGRAMS = Path(__file__).parent / "expected/programs.toml"
PARTNER = ["musl-gcc", "-static", "-w", "-O2", f"-I{TOP}/cli/client/rtlinux", f"-I{TOP}/include"]


def build(folder: Path) -> None:
    """Builds everything into a folder. Raises tests.harness.public.Missing without the archive."""
    packed = archive("rtlinux-programs")
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as work:
        extract(packed, Path(work))
        for program in tomllib.loads(PROGRAMS.read_text())["program"]:
            lines.append(build_program(Path(work) / "rtlinux", folder, program))
    (folder / "list").write_text("".join(lines))


def build_program(suite: Path, folder: Path, program: dict) -> str:
    """Builds a program and the lists of what it must log and print. Returns its line of the list."""
    name = program["file"].removesuffix(".c").replace("/", ".")
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", suite / program["file"], "-o", folder / f"{name}.limpet", "--name", "module",
                    "--remove-after-ms", str(program.get("remove", 1000)), *program.get("options", [])], check=True)
    for key in ("says", "prints"):
        (folder / f"{name}.{key}").write_text("".join(f"{line}\n" for line in program.get(key, [])))
    if "partner" in program:
        subprocess.run([*PARTNER, suite / program["partner"], "-o", folder / f"{name}.user"], check=True)
    return f"{name} {program.get('command', '-')}\n"
