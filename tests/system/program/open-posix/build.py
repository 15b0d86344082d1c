# SPDX-License-Identifier: GPL-2.0
"""Builds the cases of the Open POSIX Test Suite, each for Linux and for Limpet, from the same objects.

Some cases of one folder of the suite share a program, and the program's argument is the case to run. It is built as a
program for Linux, and as a system with one component for Limpet. `names` has a line for each case: name, program,
number.
"""

import concurrent.futures
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))
sys.path.insert(0, str(TOP / "tools"))

from compose import musl                                # noqa: E402
from tests.harness.cache import locked                  # noqa: E402
from tests.harness.public import unpacked               # noqa: E402

SUITE = "open-posix"
FLAGS = [*[flag for flag in musl.FLAGS if flag != "-O2"], "-w", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-D_XOPEN_SOURCE=700"]
#: A case that needs one of these needs a second process.
PROCESS = {"fork", "vfork", "system", "popen", "posix_spawn", "execl", "execv", "execve", "execvp"}
#: Cases that spin for seconds with PAUSE. A counted QEMU needs microseconds for each PAUSE, and so hours for a case.
SPINNING = {"pthread_spin_lock/1-1", "pthread_spin_lock/1-2", "pthread_spin_lock/3-1", "pthread_spin_lock/3-2",
            "pthread_spin_unlock/1-2"}
AT_ONCE = 40    # cases in a program
COMPONENT = """[component]
name = "{name}"
doc = "Cases of the Open POSIX Test Suite."
libc = "musl"
sources = ["main.c"]
thread = true
threads = 60
priority = 100
heap = "1M"

[imports]
sched = "sched"
log = "log"
mem = "mem"
"""
SYSTEM = """[system]
name = "{name}"
frames = "28M"

[[component]]
name = "sched"
image = "sched.fixed-priority"

[[component]]
name = "log"
image = "log"

[[component]]
name = "mem"
image = "mem"
imports = {{ sched = "sched" }}

[[component]]
name = "case"
image = "{name}"
imports = {{ sched = "sched", log = "log", mem = "mem" }}
quota = "20M"
faults = "mem"
args = {{ argv = "case-0000", stack-kib = 1024 }}
"""


def build(folder: Path) -> None:
    """Builds everything that is out of date into a folder. Raises tests.harness.public.Missing without the archive."""
    tree = unpacked(SUITE)
    objects = tree.parent / f"{tree.name}.objects-{digest(Path(__file__))}"
    with locked(f"{SUITE}-objects"):
        cases = compiled(tree, objects)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("cases*"):
        old.unlink()
    programs = [(f"cases{i}", cases[i:i + AT_ONCE]) for i in range(0, len(cases), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda program: linked(folder, tree, objects, *program), programs))
    lines = [f"{case} {name} {number:04}\n" for name, part in programs for number, case in enumerate(part)]
    (folder / "names").write_text("".join(lines))


def digest(file: Path) -> str:
    """Returns a name for the contents of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def compiled(tree: Path, objects: Path) -> list[str]:
    """Compiles each case that runs by itself. Returns those that musl can build and that need one process, by name:
    FOLDER/NUMBER-NUMBER."""
    interfaces = tree / "conformance/interfaces"
    sources = [path for path in sorted(interfaces.glob("*/*.c"))
               if re.fullmatch(r"\d+-\d+", path.stem) and chosen(f"{path.parent.name}/{path.stem}")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = list(pool.map(lambda path: compile_case(tree, path, objects), sources))
    return [f"{path.parent.name}/{path.stem}" for path, fine in zip(sources, built, strict=True) if fine]


def compile_case(tree: Path, source: Path, objects: Path) -> bool:
    """Compiles a case to an object that has one global name."""
    made = objects / source.parent.name / f"{source.stem}.o"
    failed = made.with_suffix(".failed")
    if not made.exists() and not failed.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(".part")
        done = subprocess.run([musl.COMPILER, *FLAGS, f"-I{tree}/include", f"-I{source.parent}", "-c", source, "-o", part],
                              capture_output=True, check=False)
        names = "" if done.returncode else tool("nm", part)
        start = re.search(r" T (main|test_main)$", names, re.MULTILINE)
        needs = set(re.findall(r" U (\w+)$", names, re.MULTILINE))
        if start and needs <= library() and not needs & PROCESS:
            name = "case_" + re.sub(r"\W", "_", f"{source.parent.name}/{source.stem}")
            tool("objcopy", "--redefine-sym", f"{start[1]}={name}", f"--keep-global-symbol={name}", part, made)
        else:
            failed.touch()
        part.unlink(missing_ok=True)
    return made.exists()


@functools.cache
def library() -> set[str]:
    """Returns the names that the C library defines, and that of the linker's table."""
    return {*re.findall(r" [TWVBDR] (\w+)$", tool("nm", musl.LIBRARY / "libc.a"), re.MULTILINE), "_GLOBAL_OFFSET_TABLE_"}


def chosen(case: str) -> bool:
    """Returns whether a case runs: in `make test` only those of the file `quick`."""
    return case not in SPINNING and (bool(os.environ.get("LIMPET_LONG")) or case in quick())


@functools.cache
def quick() -> list[str]:
    """Returns the cases of `make test`."""
    return Path(__file__).with_name("quick").read_text().split()


def linked(folder: Path, tree: Path, objects: Path, name: str, cases: list[str]) -> None:
    """Makes a program for Linux and a system for Limpet of some cases."""
    work = folder.parent / f"{folder.name}.work" / name
    shutil.rmtree(work, ignore_errors=True)
    component = work / "components" / name
    component.mkdir(parents=True)
    functions = ["case_" + re.sub(r"\W", "_", case) for case in cases]
    main = "".join(f"int {f}(int, char **);\n" for f in functions) + "static int (*const cases[])(int, char **) = { " + \
        ", ".join(functions) + " };\n" + Path(__file__).with_name("main.c.in").read_text()
    (component / "main.c").write_text(main)
    (component / "component.toml").write_text(COMPONENT.format(name=name))
    (work / f"{name}.toml").write_text(SYSTEM.format(name=name))
    files = [objects / f"{case}.o" for case in cases]
    tool(musl.COMPILER, "-static", "-s", "-w", component / "main.c", *files, "-o", folder / f"{name}.linux")
    tool(TOP / "tools/limpet-component", component, "-o", work / "plain.o", "--interfaces", TOP / "interfaces",
         "--runtime", TOP / "build/lib", "--cflags=-w")
    tool("ld", "-r", "-z", "noexecstack", work / "plain.o", *files, "--start-group", musl.LIBRARY / "libc.a",
         tool("gcc", "-print-libgcc-file-name").strip(), "--end-group", "-o", work / f"{name}.o")
    tool(TOP / "tools/limpet-compose", work / f"{name}.toml", "-o", folder / f"{name}.limpet", "--components", TOP / "components",
         "--components", work / "components", "--interfaces", TOP / "interfaces", "--objects", TOP / "build/components",
         "--objects", work)


def tool(*words) -> str:
    """Runs a program. Raises an error with its error output if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr[-800:]}")
    return done.stdout


if __name__ == "__main__":
    build(TOP / "build/system/program/open-posix")
