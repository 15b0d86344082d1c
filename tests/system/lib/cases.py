# SPDX-License-Identifier: GPL-2.0
"""Builds cases of test suites, each for Linux and for Limpet, from the same objects.

A case is an ordinary C program of one or more files. Up to AT_ONCE cases share a program, and the program's argument is
the case to run. It is built as a program for Linux, and as a system with one component for Limpet. The file `names` has
a line for each case: name, program, number. `suite.c` of the property `open-posix` runs them.
"""

import concurrent.futures
import dataclasses
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP / "tools"))

from compose import musl                                # noqa: E402

FLAGS = [*[flag for flag in musl.FLAGS if flag != "-O2"], "-w"]
#: A case that needs one of these needs a second process.
PROCESS = {"fork", "vfork", "system", "popen", "posix_spawn", "posix_spawnp", "execl", "execle", "execlp", "execv", "execve",
           "execvp", "fexecve", "forkpty"}
#: A name that the linker defines.
TABLE = "_GLOBAL_OFFSET_TABLE_"
#: Error messages of a compiler that says nothing about the case, because the machine lacks memory or space.
INTERRUPTED = re.compile(r"signal terminated program|No space left on device|[Oo]ut of memory")
#: Maximum number of cases in a program.
AT_ONCE = 40
COMPONENT = """[component]
name = "{name}"
doc = "Cases of a test suite."
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
environment = {{ PATH = "/bin" }}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """A program: its name, and its files with the flags of each."""

    name: str
    sources: tuple[tuple[Path, tuple[str, ...]], ...]

    @property
    def function(self) -> str:
        """Returns the name that its main() has."""
        return "case_" + re.sub(r"\W", "_", self.name)


def digest(*files: Path) -> str:
    """Returns a name for the contents of files and of this one: objects that they made are out of date if it changes."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in (*files, Path(__file__)))).hexdigest()[:12]


def compiled(cases: list[Case], objects: Path, without: frozenset[str] = frozenset()) -> list[Case]:
    """Compiles cases that are not compiled yet. Returns those that musl can build and that need one process.

    Cases that call a function of `without` are omitted, too.
    """
    made = at_once(lambda case: compile_case(case, objects, without), cases)
    return [case for case, fine in zip(cases, made, strict=True) if fine]


def require(built: list[Case], quick: set[str], least: int) -> None:
    """Raises an error if cases of `make test` are not built, or with LIMPET_LONG fewer cases than this number.

    A case that does not compile is omitted, so a mistake in flags or a header would otherwise remove cases unnoticed.
    """
    if lost := quick - {case.name for case in built}:
        raise RuntimeError(f"cases of the file quick are not built: {', '.join(sorted(lost))}")
    if os.environ.get("LIMPET_LONG") and len(built) < least:
        raise RuntimeError(f"{len(built)} cases are built, and must be at least {least}")


def at_once(function: Callable, values: list) -> list:
    """Calls a function with each value, with as many threads as there are processors. Returns the results."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, values))


def compile_case(case: Case, objects: Path, without: frozenset[str] = frozenset()) -> bool:
    """Compiles a case to an object that has one global name. Returns False if that is impossible.

    Raises an error if the compiler was interrupted, which does not mean that the case cannot be built.
    """
    made = objects / f"{case.name}.o"
    failed = made.with_suffix(".failed")
    if not made.exists() and not failed.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        if not _compile(case, made, PROCESS | without):
            failed.touch()
    return made.exists()


def _compile(case: Case, made: Path, without: set[str]) -> bool:
    parts = [made.with_suffix(f".part{number}") for number in range(len(case.sources))]
    whole = made.with_suffix(".part")
    try:
        for (source, flags), part in zip(case.sources, parts, strict=True):
            words = [musl.COMPILER, *FLAGS, *flags, "-c", source, "-o", part]
            done = subprocess.run(words, capture_output=True, check=False, text=True, errors="replace")
            if done.returncode < 0 or INTERRUPTED.search(done.stderr):
                raise RuntimeError(f"{case.name}: the compiler was interrupted, {done.returncode}: {done.stderr[-800:]}")
            if done.returncode:
                return False
        tool("ld", "-r", "-z", "noexecstack", *parts, "-o", whole)
        names = tool("nm", whole)
        start = re.search(r" T (main|test_main)$", names, re.MULTILINE)
        needs = set(re.findall(r" U (\w+)$", names, re.MULTILINE))
        # A case that calls nothing tests only headers.
        if not start or not needs - {TABLE} or not needs <= library() or needs & without:
            return False
        tool("objcopy", "--redefine-sym", f"{start[1]}={case.function}", f"--keep-global-symbol={case.function}", whole, made)
        return True
    finally:
        for part in (*parts, whole):
            part.unlink(missing_ok=True)


@functools.cache
def library() -> set[str]:
    """Returns the names that the C library defines, and that of the linker's table."""
    return {*re.findall(r" [TWVBDR] (\w+)$", tool("nm", musl.LIBRARY / "libc.a"), re.MULTILINE), TABLE}


def link(folder: Path, cases: list[Case], objects: Path) -> None:
    """Makes programs for Linux and systems for Limpet of all cases, and the file `names`."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("cases*"):
        old.unlink()
    programs = [(f"cases{i}", cases[i:i + AT_ONCE]) for i in range(0, len(cases), AT_ONCE)]
    at_once(lambda program: _link(folder, objects, *program), programs)
    lines = [f"{case.name} {name} {number:04}\n" for name, part in programs for number, case in enumerate(part)]
    (folder / "names").write_text("".join(lines))


def _link(folder: Path, objects: Path, name: str, cases: list[Case]) -> None:
    """Makes a program for Linux and a system for Limpet of some cases."""
    work = folder.parent / f"{folder.name}.work" / name
    shutil.rmtree(work, ignore_errors=True)
    component = work / "components" / name
    component.mkdir(parents=True)
    functions = [case.function for case in cases]
    main = "".join(f"int {f}(int, char **);\n" for f in functions) + "static int (*const cases[])(int, char **) = { " + \
        ", ".join(functions) + " };\n" + Path(__file__).with_name("cases.c.in").read_text()
    (component / "main.c").write_text(main)
    (component / "component.toml").write_text(COMPONENT.format(name=name))
    (work / f"{name}.toml").write_text(SYSTEM.format(name=name))
    files = [objects / f"{case.name}.o" for case in cases]
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
