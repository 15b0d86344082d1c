# SPDX-License-Identifier: BSD-2-Clause
"""limpet-kit: makes components, systems and projects, builds them, and runs them in QEMU."""

import os
import subprocess
import sys
from pathlib import Path

from tools.compose import component, errors, rtlinux, table, usage
from tools.compose.errors import Refused

from . import new, trial

ROOT = Path(__file__).resolve().parents[2]
#: Targets of components/limpet-component.mk, which each project has.
TARGETS = ("all", "clean", "test", "unit-test", "system-test")


def parse(arguments):
    parser = usage.Parser(prog="limpet", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("new", help="make a component, a system or a project")
    make.set_defaults(parser=make)
    make.add_argument("kind", metavar="KIND", choices=("component", "system", "project"))
    make.add_argument("name", metavar="NAME", help="name of the component or system, or folder of the project")
    form = make.add_mutually_exclusive_group()
    form.add_argument("--program", action="store_const", dest="form", const="program",
                      help="make the component a C program with main(), for musl")
    form.add_argument("--cpp", action="store_const", dest="form", const="cpp",
                      help="make the component a C++ program with main(), for musl")
    form.add_argument("--rust", action="store_const", dest="form", const="rust", help="make the component one in Rust")
    form.add_argument("--empty", action="store_const", dest="form", const="empty",
                      help="make a project without a component, a system and tests")
    build = commands.add_parser("build", help="run make in the current folder")
    build.set_defaults(parser=build)
    build.add_argument("--sdk", action="store_true", help="print the folder of the kit, and exit")
    build.add_argument("words", nargs="*", metavar="WORD", help="targets and variables of make")
    attempt = commands.add_parser("try", help="run a system in QEMU")
    attempt.set_defaults(parser=attempt)
    attempt.add_argument("system", metavar="SYSTEM", help="name of a system of the project, or an image")
    attempt.add_argument("--kernel", metavar="KERNEL",
                         help="release of an installed kernel, or in a checkout a fetched kernel, for example 6.1")
    attempt.add_argument("--script", metavar="FILE",
                         help="script that the guest runs; default: attach, run, show ps and log, detach")
    attempt.add_argument("--file", action="append", default=[], metavar="FILE[:PATH]",
                         help="give the guest this file; default PATH: /root/ and the file's name; can be repeated")
    attempt.add_argument("--python", action="store_true", help="give the guest Python with Limpet's package")
    attempt.add_argument("--beneath", action="store_true", help="attach in beneath mode")
    attempt.add_argument("--linux-restarts", action="store_true",
                         help="also give the guest its kernel, and continue when its Linux panics")
    attempt.add_argument("--counted", action="store_true", help="make the guest's clock count instructions")
    attempt.add_argument("--shell", action="store_true", help="open a shell in the guest at the end")
    attempt.add_argument("--cpus", type=usage.number(1, 64), default=1, metavar="N")
    attempt.add_argument("--timeout", type=usage.number(1, 86400, float, " seconds"), default=300, metavar="SECONDS")
    want = parser.parse_args(arguments)
    if want.command == "new" and want.kind == "system" and want.form:
        make.error(f"--{want.form}: A system has no such option. Only a component or a project has it.")
    if want.command == "new" and want.kind == "component" and want.form == "empty":
        make.error("--empty: A component has no such option. Only a project has it.")
    return want


def target_check(make, word):
    """Refuses a word that make has no rule for, or that is only a folder. `make` is the command without words."""
    done = subprocess.run([*make, "-n", word], env=os.environ | {"LC_ALL": "C"}, capture_output=True, text=True,
                          check=False)
    folder = Path(word).is_dir() and f"Nothing to be done for '{word}'." in done.stdout
    if not folder and f"No rule to make target '{word}'.  Stop." not in done.stderr:
        return
    images = {path.stem: f"build/{path.stem}.limpet" for path in Path(".").glob("*.toml")}
    objects = [f"build/{path.parent.name}.o" for path in component.paths(".")]
    known = table.near(images.get(word, word), [*TARGETS, *images.values(), *objects])
    raise Refused.plainly(f"The project has no target '{word}'. {known} Correct the name, or omit it to build "
                          "everything.")


def build(words):
    """Replaces this process by make in the current folder."""
    make = ["make", "--no-print-directory", f"LIMPET={ROOT}"]
    if not Path("Makefile").is_file():
        raise Refused.plainly(f"There is no Makefile in {Path.cwd()}. Change to the folder of a project, or make a "
                              "project with `limpet new project DIR`.")
    os.environ["LIMPET_SDK"] = str(ROOT)
    for word in words:
        if word not in TARGETS and "=" not in word:
            target_check(make, word)
    os.execvp("make", [*make, *words])


def main(arguments):
    if arguments[:1] == ["rtlinux"]:
        return rtlinux.main(arguments[1:], "limpet rtlinux")
    want = parse(arguments)
    if want.command == "new":
        print("\n".join(f"made {path}" for path in new.make(want.kind, want.name, want.form or "component", ROOT)))
        return 0
    if want.command == "try":
        return trial.run(want, ROOT)
    if want.sdk:
        print(ROOT)
        return 0
    return build(want.words)


if __name__ == "__main__":
    sys.exit(errors.run(" ".join(["limpet", *sys.argv[1:2]]), main))
