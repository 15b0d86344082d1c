# SPDX-License-Identifier: GPL-2.0
"""Checks that the files of one folder do not use each other in a cycle, by the symbols of their objects.

A file uses another file if its object needs a symbol that the other's object defines. A cycle is a largest set of files
each of which uses every other one, directly or through others of the set. CYCLES lists those that are allowed. The
objects are those that the build has made.
"""

import subprocess
from collections import defaultdict
from pathlib import Path, PurePath

import pytest

from tests.unit.docs.test_tree import ROOT, sources

#: Places of a source's object in build/. {path}: the source's path, {bare}: the path without the suffix, {below}: {bare}
#: without its first two folders, {name}: the file's name, {folder}: the name of its folder.
OBJECTS = {
    "bench/": ["bench/objects/{bare}.o"],
    "cli/": ["cli/{bare}.o", "cli/screen/{bare}.o", "cli/bridge/{bare}.o"],
    "components/": ["components/{folder}.d/{name}.o"],
    "entry/": ["core/{bare}.o"],
    "hal/": ["unit/kernel/{bare}.o", "core/{bare}.o"],
    "host/bare/": ["bare/{bare}.o"],
    "host/linux/": ["module-6.1/{below}.o"],
    "host/restart/": ["restart/{below}.o"],
    "kernel/": ["unit/kernel/{bare}.o"],
    "lib/": ["runtime/{path}.o", "{path}.o", "components/sched.fixed-priority.d/{name}.o"],
    "shared/": ["unit/kernel/{bare}.o"],
}
#: Sources without an object.
WITHOUT = {
    "entry/offsets.c": "only its assembly is made", "host/bare/offsets.c": "only its assembly is made",
    "tools/compose/image-check.c": "a program of one file", "bench/rtlinux/module.c": "a module of one file",
}
#: Folders whose sources are compiled only with software that a user adds.
OPTIONAL = ("lib/freertos/", "cli/command/bridge/")

#: Uses of a symbol that form no cycle: the file passes the address to the kernel, which continues a thread there.
ADDRESSES = {
    ("lib/posix", "lock.c", "posix_interrupt"): "a thread that computes is diverted for a signal",
    ("lib/posix", "exception.c", "posix_exception"): "a thread continues after its exception",
    ("lib/rtlinux", "interrupt.c", "rtlinux_interrupt"): "a thread that computes is diverted for a signal",
}

#: The allowed cycles: the files of a folder, and why they stay together.
CYCLES = {
    ("entry", "beside.S guest.S syscall.S trap.S"):
        "the ways into the kernel and back are one piece of assembly, whose parts jump to each other",
    ("host/bare/svm", "guard.S switch.S vmrun.S"):
        "guard.S has the return to which all code jumps, and the header with the addresses of the other two",
    ("host/linux/guest", "device.c end.c follow.c life.c map.c record.c request.c signal.c talk.c tracepoint.c turn.c "
     "watch.c"):
        "an event of a guest runs its executive, whose calls change guests, begin events and end them",
    ("host/linux/isolate", "entry.S isolate.c"): "one piece of code, with its data in C and its entries in assembly",
    ("kernel", "capability.c channel.c component.c cpu.c endpoint.c fault.c frame.c guest.c guest_chain.c "
     "page_table.c thread.c"): "an object of the kernel can refer to any other one, and ends with it",
    ("lib/posix", "call.c entry.S interrupt.c thread_calls.c"):
        "a system call can make a thread, which begins at the end of the entry of system calls",
    ("lib/posix", "alarm.c descriptor.c epoll.c event.c exit.c flock.c futex.c map_file.c memory.c node.c pipe.c queue.c "
     "ready.c signal_file.c signals.c socket.c timer.c wait.c"):
        "each kind of open file can be waited for, makes signals, ends a wait, and is closed with its last descriptor",
}


def object_of(source: str) -> Path | None:
    """Returns the path of a source's object, or None if the build has not made it."""
    path = PurePath(source)
    bare = path.with_suffix("")
    words = {"path": path, "bare": bare, "below": PurePath(*bare.parts[2:]), "name": path.name,
             "folder": path.parent.name}
    places = next((places for start, places in OBJECTS.items() if source.startswith(start)), [])
    tries = [ROOT / "build" / place.format(**words) for place in places]
    return next((found for found in tries if found.exists()), None)


def symbols(objects: list[Path]) -> dict[Path, tuple[set[str], set[str]]]:
    """Returns the symbols that each object defines for others, and those that it needs. gcc-nm also reads objects of
    link-time optimisation.
    """
    found: dict[Path, tuple[set[str], set[str]]] = {path: (set(), set()) for path in objects}
    text = subprocess.run(["gcc-nm", "-A", "-g", "--format=posix", *objects], capture_output=True, text=True,
                          check=True).stdout
    for line in text.splitlines():
        file, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        found[Path(file)][kind in "Uvw"].add(name)
    return found


def users(objects: dict[str, tuple[set[str], set[str]]]) -> dict[str, dict[str, set[str]]]:
    """Returns, for each file of a folder, the other files that it uses with the symbols."""
    owners = defaultdict(set)
    for file, (defined, _) in objects.items():
        for name in defined:
            owners[name].add(file)
    uses: dict[str, dict[str, set[str]]] = {file: defaultdict(set) for file in objects}
    for file, (defined, needed) in objects.items():
        for name in needed - defined:
            for owner in owners[name] - {file}:
                uses[file][owner].add(name)
    return uses


def reached(uses: dict[str, dict[str, set[str]]], start: str) -> set[str]:
    """Returns the files that a file uses directly or indirectly."""
    found: set[str] = set()
    left = list(uses[start])
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += uses[file]
    return found


def cycles(uses: dict[str, dict[str, set[str]]]) -> set[tuple[str, ...]]:
    """Returns the cycles, each as its files in alphabetical order."""
    reach = {file: reached(uses, file) for file in uses}
    return {tuple(sorted(other for other in reach[file] if file in reach[other]))
            for file in uses if file in reach[file]}


def describe(folder: str, cycle: tuple[str, ...], uses: dict[str, dict[str, set[str]]]) -> str:
    """Returns lines with the uses that make a cycle."""
    lines = [f"  {file} uses {other}: {' '.join(sorted(uses[file][other]))}"
             for file in cycle for other in sorted(uses[file]) if other in cycle]
    return "\n".join([f"{folder}/: {' '.join(cycle)}", *lines])


def compiled() -> list[str]:
    """Returns all sources that the build compiles to an object of their own."""
    return [source for source in sources() if not source.endswith(".h") and source not in WITHOUT]


@pytest.fixture(scope="module")
def folders() -> dict[str, dict[str, dict[str, set[str]]]]:
    """Returns, by folder and file, the other files of the folder that the file uses."""
    paths = {source: path for source in compiled() if (path := object_of(source))}
    found = symbols(list(paths.values()))
    by_folder: dict[str, dict[str, tuple[set[str], set[str]]]] = defaultdict(dict)
    for source, path in paths.items():
        by_folder[str(PurePath(source).parent)][PurePath(source).name] = found[path]
    return {folder: users(objects) for folder, objects in by_folder.items()}


def without(uses: dict[str, dict[str, set[str]]], folder: str, kept: tuple[str, str, str] | None = None):
    """Returns the uses of a folder without those of ADDRESSES, except for `kept`."""
    left_out = {(file, name) for place, file, name in ADDRESSES if place == folder and (place, file, name) != kept}
    return {file: {other: left for other, names in others.items()
                   if (left := {name for name in names if (file, name) not in left_out})}
            for file, others in uses.items()}


def test_every_source_has_an_object():
    assert [source for source in compiled() if not source.startswith(OPTIONAL) and not object_of(source)] == [], \
        "the build has not made the objects of these sources (make all unit-programs), or OBJECTS lacks their places"


def test_exceptions_exist():
    assert [source for source in WITHOUT if not (ROOT / source).exists()] == []


def test_only_the_allowed_cycles(folders):
    """A cycle that is not allowed is an error, and so is an allowed one that has become smaller or has ended."""
    allowed = {(folder, tuple(files.split())) for folder, files in CYCLES}
    left = {folder: without(uses, folder) for folder, uses in folders.items()}
    found = {(folder, cycle) for folder, uses in left.items() for cycle in cycles(uses)}
    new = [describe(folder, cycle, left[folder]) for folder, cycle in sorted(found - allowed)]
    gone = [f"{folder}/: {' '.join(cycle)}" for folder, cycle in sorted(allowed - found)]
    assert not new, "\n".join(["These cycles are not allowed:", *new])
    assert not gone, "\n".join(["These cycles do not exist any more. Shorten or remove their lines:", *gone])


def test_addresses_are_needed(folders):
    """Each address would form a cycle, or make one larger."""
    assert [use for use in ADDRESSES if cycles(without(folders[use[0]], use[0], use)) ==
            cycles(without(folders[use[0]], use[0]))] == []


def test_a_cycle_is_found(tmp_path):
    """Compiles four files of which three form a cycle: by a call, by the address of a function, and by a variable."""
    texts = {"a.c": "int b(void); int a(void) { return b(); }",
             "b.c": "extern int (*c)(void); int b(void) { return c(); }",
             "c.c": "int a(void); int (*c)(void) = a;",
             "d.c": "int a(void); int d(void) { return a(); }"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["gcc", "-c", "-O2", *texts], cwd=tmp_path, check=True)
    found = symbols([tmp_path / name.replace(".c", ".o") for name in texts])
    uses = users({path.with_suffix(".c").name: pair for path, pair in found.items()})
    assert cycles(uses) == {("a.c", "b.c", "c.c")}
    assert "b.c uses c.c: c" in describe("x", ("a.c", "b.c", "c.c"), uses)
