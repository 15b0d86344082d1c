# SPDX-License-Identifier: GPL-2.0
"""Builds public RTLinux programs of a list: each module as a system, and its partner as a static program for Linux."""

import subprocess
import tempfile
import tomllib
from pathlib import Path

from tests.harness.public import archive, extract

TOP = Path(__file__).parents[3]
PARTNER = ["musl-gcc", "-static", "-w", "-O2", f"-I{TOP}/cli/client/rtlinux", f"-I{TOP}/include"]


def build_listed(programs: Path, folder: Path) -> None:
    """Builds the programs of a list into a folder. Raises tests.harness.public.Missing without the archive."""
    packed = archive("rtlinux-programs")
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    with tempfile.TemporaryDirectory() as work:
        extract(packed, Path(work))
        for program in tomllib.loads(programs.read_text())["program"]:
            lines.append(build_program(Path(work) / "rtlinux", folder, program))
    (folder / "list").write_text("".join(lines))


def build_queues(queues: Path, folder: Path) -> None:
    """Builds a system of the programs of the suite's folder mqueues and the creator of their queue."""
    packed = archive("rtlinux-programs")
    with tempfile.TemporaryDirectory() as work:
        extract(packed, Path(work))
        modules = [queues / "creator.c", *sorted((Path(work) / "rtlinux/examples/mqueues").glob("*.c"))]
        for module in modules:
            subprocess.run([TOP / "tools/limpet-rtlinux", "build", module, "-o", Path(work) / "alone.limpet", "--component", work],
                           check=True)
        subprocess.run([TOP / "tools/limpet-compose", queues / "queues.toml", "-o", folder / "queues.limpet",
                        "--components", TOP / "components", "--components", work, "--interfaces", TOP / "interfaces",
                        "--objects", TOP / "build/components", "--objects", work], check=True)


def build_program(suite: Path, folder: Path, program: dict) -> str:
    """Builds a program and the lists of its expected log and output. Returns its line of the list."""
    name = program["file"].removesuffix(".c").replace("/", ".")
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", suite / program["file"], "-o", folder / f"{name}.limpet", "--name", "module",
                    "--remove-after-ms", str(program.get("remove", 1000)), *program.get("options", [])], check=True)
    for key in ("says", "prints"):
        (folder / f"{name}.{key}").write_text("".join(f"{line}\n" for line in program.get(key, [])))
    if "partner" in program:
        subprocess.run([*PARTNER, suite / program["partner"], "-o", folder / f"{name}.user"], check=True)
    return f"{name} {program.get('command', '-')}\n"
