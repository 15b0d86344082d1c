# SPDX-License-Identifier: BSD-2-Clause
"""limpet-kit: makes components, systems and projects of one's own, builds them, and tries them in QEMU."""

import argparse
import os
import sys
from pathlib import Path

from tools.compose import errors
from tools.compose.errors import Refused

from . import new, trial

ROOT = Path(__file__).resolve().parents[2]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="limpet", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("new", help="make a component, a system or a project")
    make.add_argument("kind", choices=("component", "system", "project"))
    make.add_argument("name", metavar="NAME", help="of a project: its folder, whose name becomes that of its parts")
    make.add_argument("--program", action="store_true", help="the component is a C program with main(), for musl")
    build = commands.add_parser("build", help="run make in the project's folder")
    build.add_argument("--sdk", action="store_true", help="print the folder that components are built from instead")
    build.add_argument("words", nargs="*", metavar="WORD", help="targets and variables of make")
    attempt = commands.add_parser("try", help="run a system in QEMU")
    attempt.add_argument("system", metavar="SYSTEM", help="name of a system of the project, or an image")
    attempt.add_argument("--kernel", metavar="KERNEL",
                         help="release of an installed kernel, or 6.1, 6.12 and others of a checkout")
    attempt.add_argument("--script", metavar="FILE", help="what the guest runs (attach, run, show ps and log, detach)")
    attempt.add_argument("--cpus", type=int, default=1, metavar="N")
    attempt.add_argument("--timeout", type=float, default=300, metavar="SECONDS")
    return parser.parse_args(arguments)


def build(words):
    """Becomes make in the current folder."""
    if not Path("Makefile").is_file():
        raise Refused(Path.cwd(), "Makefile", "there is none, a project has one next to its systems, change to its folder or "
                      "make one with limpet new project DIR")
    os.environ["LIMPET_SDK"] = str(ROOT)
    os.execvp("make", ["make", "--no-print-directory", f"LIMPET={ROOT}", *words])


def main(arguments):
    want = parse(arguments)
    if want.command == "new":
        print("\n".join(f"made {path}" for path in new.make(want.kind, want.name, want.program, ROOT)))
        return 0
    if want.command == "try":
        return trial.run(want, ROOT)
    if want.sdk:
        print(ROOT)
        return 0
    return build(want.words)


if __name__ == "__main__":
    sys.exit(errors.run("limpet", main))
