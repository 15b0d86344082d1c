# SPDX-License-Identifier: BSD-2-Clause
"""Reads and checks component.toml."""

import glob
from dataclasses import dataclass
from pathlib import Path

from . import argument, executive, musl, rust, table
from .contract import VALUES
from .errors import Mistakes, Refused

PAGE = VALUES["LIMPET_PAGE"]
NAME_MAX = VALUES["LIMPET_NAME_MAX"] - 1
ARG_TEXT_MAX = musl.ARG_TEXT_MAX
HEAP_MAX = 256 << 20
STACK_MAX = (1 << 20) - PAGE
THREADS_MAX = VALUES["LIMPET_SPARES_MAX"]
EACH_THREAD_MAX = PAGE
PRIVILEGES = ("scheduler", "memory", "console", "cpu", "ramdisk", "supervisor", "clients", "devices")
# Privileges that exclude each other, because their capabilities or channels have the same slots or addresses.
APART = ("scheduler", "memory", "console", "clients")
SUPERVISOR = "supervisor"
SCHED = "sched"  # interface of schedulers, and the import that threads are created by
BOOTER = "booter"
DEVICES = "devices"  # may have resources of the machine, which the image lists
OPTIONAL = "optional"
CXX = (".cpp", ".cc")
SUFFIXES = (".c", ".S", *CXX, rust.SUFFIX)


@dataclass
class Definition:
    name: str
    doc: str
    file: Path
    thread: bool | str
    priority: int | None
    threads: int  # spare ones
    stack_shift: int
    heap: int
    privileges: list
    fpu: bool
    sources: list
    exports: list
    imports: dict
    args: dict
    optional: list  # imports that a system file may leave out
    libc: str | None = None     # "musl": a program, see musl.py
    package: str | None = None  # folder of third-party sources
    defines: list | None = None
    includes: list | None = None  # folders of headers, in the component's folder or in the package
    cflags: list | None = None    # more flags for the compiler
    cxxflags: list | None = None  # more flags for C++ alone
    rustflags: list | None = None  # more flags for Rust
    stacks: int = 0       # size of its pool's stacks; 0: each thread has a stack of its own
    each_thread: int = 0  # bytes that its data need for each thread of its CPU

    @property
    def folder(self):
        return self.file.parent

    @property
    def cxx(self):
        """Returns whether a source is C++. The component is then linked with the C++ library."""
        return any(map(is_cxx, self.sources))

    @property
    def rust(self):
        """Returns the root of the component's Rust sources, or None."""
        return next(filter(rust.is_rust, self.sources), None)


def is_cxx(source):
    """Returns whether a source is C++, by its name."""
    return Path(source).suffix in CXX


def stack_shift(size):
    """Returns log2 of the power of two that holds a stack and its guard page."""
    return (size + PAGE - 1).bit_length()


def read_import(t, name):
    """Returns the interface of an import."""
    t.check_word(name, name, table.IDENTIFIER, 24)
    t.check_c(name, name)
    if name == executive.IMPORT:
        t.refuse(name, "is the import of every executive, which only a system file gives. It leads to the next "
                 "executive and not to an interface. Use another name.")
    return t.word(name, table.IDENTIFIER)


def read_imports(top, mistakes):
    """Returns the interfaces by import. A wrong import has its own name as interface, which other keys may need."""
    t = mistakes.of(top.table, "imports", False)
    return {name: mistakes.of(read_import, t, name) or name for name in t.mapping_names()} if t else {}


def read_exports(top):
    t, mistakes = top.table("exports", required=False), Mistakes()
    names = mistakes.of(t.words, "interfaces", table.IDENTIFIER)
    mistakes.of(t.done)
    mistakes.end()
    return names


def read_privileges(t):
    names = t.words("privileges", None)
    for name in names:
        if name not in PRIVILEGES:
            t.refuse("privileges", f"'{name}' is not a privilege. {table.near(name, PRIVILEGES)} Use one of these.")
        if name == "memory" and "scheduler" in names:
            t.refuse("privileges", "'memory' and 'scheduler' cannot both be given. The capabilities of both use the "
                     "same slots. Split the component.")
        if SUPERVISOR in names and name in APART:
            t.refuse("privileges", f"'{name}' and '{SUPERVISOR}' cannot both be given. The capabilities of both use "
                     "the same slots. Split the component.")
    return names


def read_sources(t, folder, component):
    """Returns the sources: those of the folder, or the listed ones, which may be shared: ../lib/file.c. Of the Rust files
    only the root is a source.
    """
    names = t.words("sources", None)
    if "package" in t.data:  # the package is fetched when the component is built
        return names
    for name in names:
        if Path(name).is_absolute() or Path(name).suffix not in SUFFIXES or \
                not (folder / name).is_file():
            t.refuse("sources", f"'{name}' is not a .c, .cpp, .cc, .rs or .S file in {folder}. Paths of sources are "
                     "relative to the component's folder. Correct the name.")
        if [Path(other).name for other in names].count(Path(name).name) > 1:
            t.refuse("sources", f"'{name}' has the name of another source. Each source becomes an object with its "
                     "name. Rename one.")
    found = sorted(p.name for p in folder.iterdir() if p.suffix in SUFFIXES)
    root = rust.root_of(t, folder, component, names, found)
    return [name for name in names or found if not rust.is_rust(name)] + root


def read_flags(t, key):
    """Reads flags for the compiler."""
    flags = t.words(key, None)
    for flag in flags:
        if not flag.startswith("-") or flag in ("-c", "-o"):
            t.refuse(key, f"'{flag[:60]}' is not a compiler flag that can be given here. A flag begins with '-' "
                     "and is not -c or -o. Correct or remove it.")
    return flags


def read_libc(t):
    libc = t.text("libc", None)
    if libc not in (None, "musl"):
        t.refuse("libc", f"'{libc[:60]}' is not a known C library. The only one is \"musl\". Correct or "
                 "remove it.")
    return libc


def read_program(t, definition, mistakes):
    """Reads libc, the package and the compiler's options."""
    definition.libc = mistakes.of(read_libc, t)
    definition.package = mistakes.of(t.word, "package", table.NAME, None)
    definition.defines = mistakes.of(t.words, "defines", None)
    definition.includes = mistakes.of(t.words, "includes", None)
    definition.cflags = mistakes.of(read_flags, t, "cflags")
    definition.cxxflags = mistakes.of(read_flags, t, "cxxflags")
    definition.rustflags = mistakes.of(read_flags, t, "rustflags")


def check_program(t, definition):
    """Checks the C library and the sources. Adds what each program has."""
    if definition.cxx and not definition.libc:
        t.refuse("sources", f"contains the C++ source {next(filter(is_cxx, definition.sources))}, but there is no "
                 "libc = "
                 '"musl". The C++ library uses the C library. Write libc = "musl" and what it needs, or write the source in C.')
    if definition.libc:
        musl.check(t, definition)
        definition.args = {**{name: argument.Argument(kind) for name, kind in musl.ARGS.items()}, **definition.args}


def read_thread(t):
    """Reads `thread`: true, false, or "optional", for a thread that exists if the system file gives a priority."""
    thread = t.get("thread", (bool, str), 'true, false or "optional"', False)
    if isinstance(thread, str) and thread != OPTIONAL:
        t.refuse("thread", f"is '{thread[:60]}'. It must be true, false or \"optional\". "
                 "Write one of these.")
    return thread


def check_priority(t, definition):
    if definition.priority and definition.thread is not True:
        t.refuse("priority", "is given, but the component has no thread of its own by default. "
                 "Only a thread has a priority. Remove it or set thread = true.")


def check_optional(t, definition):
    for name in definition.optional:
        if name not in definition.imports and not (definition.libc and name == musl.NETWORK):
            t.refuse("optional", f"'{name}' is not an import. {table.near(name, definition.imports)} "
                     "Correct or remove it.")


def check_threads(t, definition):
    """Checks that a component with spare threads has the import `sched`, through which they get their work."""
    if definition.threads and definition.imports.get(SCHED) != SCHED:
        t.refuse("threads", f"is given, but there is no import {SCHED} of interface {SCHED}. Spare "
                 f'threads get their work from that import. Add {SCHED} = "{SCHED}" to [imports].')


def check_stacks(t, definition):
    """Checks that the component can have a pool of stacks. A fault handler has none, because it can start in the middle
    of its thread's stack.
    """
    reasons = [(definition.libc, "the component is a program with a C library, whose threads have stacks of their own"),
               ("faults" in definition.exports, "the component exports faults, whose handlers start on the thread's "
                "own stack"),
               ("scheduler" in definition.privileges, "the component is a scheduler, which cannot wait for a stack"),
               (not definition.exports, "the component exports nothing, so no other thread enters it")]
    for reason in (text for holds, text in reasons if holds and definition.stacks):
        t.refuse("stacks", f"is given, but {reason}. Remove it.")


def check_booter(t, definition):
    """Checks the booter: the kernel gives it only segments, heap and a stack, because no other component exists yet."""
    d = definition
    if d.name == BOOTER and (d.thread or d.privileges or d.exports or d.imports):
        t.refuse("name", "is the booter, which the kernel creates before all other components. The booter has no "
                 "thread of its own, privileges, exports or imports. Remove these.")


def check_folder(t, definition):
    folder = definition.file.resolve().parent.name
    if folder != definition.name:
        t.refuse("name", f"is '{definition.name}' in the folder '{folder}'. "
                 "Both names must be the same. Rename one.")


#: Checks of several keys, and these keys: those of [component], and the tables.
CHECKS = ((check_priority, {"priority", "thread"}), (rust.check, {"sources", "libc", "package", "rustflags"}),
          (check_program, {"sources", "libc", "thread", "imports", "args"}),
          (check_stacks, {"stacks", "libc", "exports", "privileges"}), (check_optional, {"optional", "imports", "libc"}),
          (check_threads, {"threads", "imports"}),
          (check_booter, {"name", "thread", "privileges", "exports", "imports"}), (check_folder, {"name"}))


def check(t, definition, mistakes):
    """Runs the checks of several keys, without those of which a key is wrong already."""
    for act, keys in CHECKS:
        wrong = {place.removeprefix("component/").removesuffix("/interfaces") for place in mistakes.places}
        if not wrong & keys:
            mistakes.of(act, t, definition)


def read_table(top, path, mistakes):
    """Returns (table [component], the definition). Keys that depend on others are not checked yet."""
    t, of = top.table("component"), mistakes.of
    definition = Definition(
        of(t.word, "name", table.NAME, table.REQUIRED, NAME_MAX), of(t.paragraph, "doc"), path, False, None,
        of(t.integer, "threads", 0, 0, THREADS_MAX),
        stack_shift(of(t.size, "stack", "12K", PAGE, STACK_MAX, PAGE) or PAGE),
        of(t.size, "heap", "0", 0, HEAP_MAX, PAGE), of(read_privileges, t), of(t.boolean, "fpu", False),
        of(read_sources, t, path.parent, path.resolve().parent.name) or [], of(read_exports, top) or [],
        read_imports(top, mistakes), of(argument.read_all, top) or {}, of(t.words, "optional", None))
    definition.each_thread = of(t.integer, "each-thread", 0, 0, EACH_THREAD_MAX)
    definition.thread = of(read_thread, t)
    definition.priority = of(t.integer, "priority", None, 1, VALUES["LIMPET_URGENCY_MAX"])
    read_program(t, definition, mistakes)
    definition.stacks = of(t.integer, "stacks", None, 1, VALUES["LIMPET_POOL_MAX"]) or 0
    return t, definition


def read(path):
    """Returns the component defined in a file. Refuses all mistakes of the file."""
    path, mistakes = Path(path), Mistakes()
    top = table.load(path)
    t, definition = read_table(top, path, mistakes)
    mistakes.of(t.done)
    mistakes.of(top.done)
    check(t, definition, mistakes)
    mistakes.end()
    return definition


def paths(folder, name="*"):
    """Returns the definitions below a folder of components: NAME/component.toml and GROUP/NAME/component.toml."""
    return [path for below in (name, f"*/{name}") for path in sorted(Path(folder).glob(f"{below}/component.toml"))]


def find(name, folders):
    """Returns the definition of a component in the first folder that has it, or None. Raises Refused if it has two."""
    for folder in folders:
        found = paths(folder, glob.escape(name))
        if len(found) > 1:
            raise Refused(found[1], "component/name", f"there is another '{name}' in {found[0].parent}. A system file "
                          "names a component by its folder's name without the group. Rename one.")
        if found:
            return read(found[0])
    return None


def known(folders):
    """Returns the names of all components in the folders."""
    return sorted({path.parent.name for folder in folders
                   for path in paths(folder)})


def flags(definition):
    bits = VALUES["LIMPET_COMPONENT_BOOTER"] if definition.name == BOOTER else 0
    for name in definition.privileges:
        if name != DEVICES:
            bits |= VALUES[f"LIMPET_COMPONENT_{name.upper()}"]
    return bits
