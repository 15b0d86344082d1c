# SPDX-License-Identifier: BSD-2-Clause
"""limpet-component: builds one component folder into one relocatable object.

Generates <import/NAME.h>, <export/NAME.h> and the entries, compiles the sources and links them with
the runtime archive. Works for folders outside the tree too.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import (choice, component, errors, interface, libcxx, link, musl, rust, stub_any, stub_client, stub_server,
               table, usage, version)
from .errors import Refused
from .root import ROOT

FLAGS = ("-std=gnu11 -O2 -g -ffreestanding -fpie -fvisibility=hidden -fomit-frame-pointer "
         "-fno-stack-protector -fasynchronous-unwind-tables -fno-tree-loop-distribute-patterns "
         "-fcf-protection=none").split()
WARNINGS = "-Wall -Wextra -Werror".split()
GENERAL = ["-mgeneral-regs-only"]
VECTOR = ["-DLIMPET_FPU"]
POOL = ["-DLIMPET_STACK_POOL"]
INCLUDES = [f"-I{ROOT / folder}" for folder in ("lib", "shared", "include")]


def interface_of(definition, where, name, folders):
    found = interface.find(name, folders)
    if not found:
        known = [p.parent.name for f in folders for p in Path(f).glob("*/interface.toml")]
        raise Refused(definition.file, where, f"there is no interface '{name}'. "
                      f"{table.near(name, known)} Correct the name or add --interfaces DIR.")
    return found


def stubs(definition, folders, output):
    """Writes the generated files. Returns the assembly files among them."""
    for name, target in definition.imports.items():
        if target == choice.ANY:
            interface.write(output / "import" / f"{name}.h", stub_any.header(name))
            continue
        found = interface_of(definition, f"imports/{name}", target, folders)
        interface.write(output / "import" / f"{name}.h", stub_client.header(found, name))
    entries = []
    for name in definition.exports:
        found = interface_of(definition, "exports/interfaces", name, folders)
        interface.write(output / "export" / f"{name}.h", stub_server.header(found))
        entries.append(output / "export" / f"{name}.S")
        interface.write(entries[-1], stub_server.assembly(found))
    return entries


def run(command, verbose, environment=None):
    if verbose:
        print(shlex.join(map(str, command)))
    if subprocess.run(command, check=False, env=environment).returncode:
        raise Refused(command[-1], "build", f"'{command[0]}' failed. See its messages above. Correct the source.")


def compile_all(sources, work, flags, verbose, compiler=None, quiet=None):
    """Returns the objects of the sources. Sources of folder `quiet`, which are third-party code, are compiled without
    warnings.
    """
    objects = []
    for source in sources:
        objects.append(work / (source.name + ".o"))
        own = ["-w"] if quiet and source.is_relative_to(quiet) else []
        run([*shlex.split(compiler or os.environ.get("CC", "gcc")), *flags, *own, "-c", "-o", objects[-1],
             source], verbose)
    return objects


def compile_flags(definition, work):
    machine = VECTOR if definition.fpu else GENERAL
    machine = machine + (POOL if definition.stacks else [])
    return FLAGS + WARNINGS + machine + places(definition, work) + \
        [f"-I{work}", f"-I{definition.folder}"] + INCLUDES


def places(definition, work):
    """Returns flags that keep absolute paths out of debug information, so that objects are reproducible."""
    return [f"-fdebug-prefix-map={folder}={name}" for folder, name in (
        (Path.cwd(), "."), (definition.folder, definition.folder.name), (work, work.name)) if folder.is_absolute()]


def package_folder(definition, folders):
    """Returns the folder of the component's package from the first of `folders` that contains it, or None."""
    if not definition.package:
        return None
    found = [Path(folder) / definition.package for folder in folders]
    for folder in found:
        if folder.is_dir():
            return folder
    raise Refused(definition.file, "component/package", f"there is no folder {' or '.join(map(str, found))}. "
                  "A package is a folder of third-party sources. Put it there, or give --packages DIR.")


def find_path(definition, key, name, package, kind, is_kind):
    """Returns the path of a file or folder in the component's folder, in its package, or in Limpet's lib."""
    tries = [folder / name for folder in (definition.folder, package, ROOT / "lib") if folder]
    for path in tries:
        if is_kind(path):
            return path
    raise Refused(definition.file, f"component/{key}", f"there is no {kind} {' or '.join(map(str, tries))}. Paths "
                  f"in '{key}' are relative to the component's folder, to its package or to Limpet's lib. Correct "
                  "the name.")


def source_files(definition, package):
    """Returns the paths of the component's sources."""
    return [find_path(definition, "sources", name, package, "file", Path.is_file) for name in definition.sources]


def include_flags(definition, package):
    """Returns the compiler flags for `includes`."""
    return [f"-I{find_path(definition, 'includes', name, package, 'folder', Path.is_dir)}"
            for name in definition.includes]


def own_flags(definition, package, options):
    """Returns the flags that the component's description and the command line add."""
    return [*include_flags(definition, package), *(f"-D{word}" for word in definition.defines), *definition.cflags,
            *shlex.split(options.cflags)]


def program(definition, options, work, entries):
    """Compiles a program. Returns the inputs for the linker."""
    package = package_folder(definition, options.packages)
    flags = [*musl.FLAGS, *WARNINGS, *places(definition, work), f"-I{work}", f"-I{definition.folder}", *INCLUDES,
             *own_flags(definition, package, options)]
    sources = source_files(definition, package) + entries
    cxx = [source for source in sources if component.is_cxx(source)]
    objects = compile_all([s for s in sources if s not in cxx], work, flags, options.verbose, musl.COMPILER, package)
    if not cxx:
        return musl.parts(definition, objects, options.runtime)
    library = libcxx.library(definition.file)
    flags += [*libcxx.flags(library / "include", definition.file), *definition.cxxflags]
    objects += compile_all(cxx, work, flags, options.verbose, shlex.join(libcxx.compiler()), package)
    return musl.parts(definition, objects, options.runtime, [library / "libc++.a"])


def parts(definition, options, work, entries):
    """Compiles a component that is not a program. Returns the inputs for the linker."""
    archive = runtime(definition, options.runtime)
    package = package_folder(definition, options.packages)
    flags = [*compile_flags(definition, work), f"-I{Path(options.runtime) / 'include'}",
             *own_flags(definition, package, options)]
    sources = source_files(definition, package) + entries
    if not definition.rust:
        return [*compile_all(sources, work, flags, options.verbose, quiet=package), archive]
    calls = rust_stubs(definition, options, work)
    sources = [source for source in sources if not rust.is_rust(source)] + calls
    crate = rust.objects(definition, work, lambda words, own: run(words, options.verbose, own))
    return [*compile_all(sources, work, flags, options.verbose, quiet=package), *crate, archive, rust.helper()]


def rust_stubs(definition, options, work):
    """Writes the generated files of a component in Rust. Returns the C files among them."""
    for name, target in definition.imports.items():
        if target == choice.ANY:
            raise Refused(definition.file, f"imports/{name}", f"'{name}' is of any interface, which a component in Rust cannot "
                          "import. Name an interface, or write the component in C.")
    return rust.stubs(definition, lambda where, name: interface_of(definition, where, name, options.interfaces), work)


def unit_test(definition, options):
    """Builds the unit tests of a component in Rust, as a program for this machine."""
    if not definition.rust:
        raise Refused(definition.file, "component/sources", "The sources are not Rust. This option builds only unit tests in Rust. "
                      "Compile the test with the C compiler.")
    work = Path(options.output).with_suffix(".d")
    work.mkdir(parents=True, exist_ok=True)
    rust_stubs(definition, options, work)
    rust.test_program(definition, work, options.output, lambda words, own: run(words, options.verbose, own))


def runtime(definition, folder):
    """Returns the archive that the component is linked with."""
    name = f"runtime{'-pool' if definition.stacks else ''}{'-fpu' if definition.fpu else ''}.a"
    archive = Path(folder) / name
    if not archive.is_file():
        raise Refused(archive, "build", "The runtime library does not exist. Every component is linked with it. Run "
                      "make components in Limpet's tree, or give --runtime DIR.")
    return archive


def entry_points(definition):
    """Returns the entries of threads: for the booter, for a scheduler, and for threads that wait for a stack."""
    if definition.imports.get(component.SCHED) != component.SCHED:
        return [link.ENTRY]
    return [link.ENTRY, link.THREADS, *([link.STACK_WAIT] if definition.stacks else [])]


def build(definition, options):
    output = Path(options.output)
    work = output.with_suffix(".d")
    for name in ("import", "export"):
        shutil.rmtree(work / name, ignore_errors=True)  # no stub of an interface it had before
    work.mkdir(parents=True, exist_ok=True)
    entries = stubs(definition, options.interfaces, work)
    if options.stubs_only:
        return
    if not definition.sources:
        raise Refused(definition.file, "component/sources", "There are no sources. A component needs .c, .cpp, .cc, "
                      ".rs or .S files in its folder. Write one.")
    of = program if definition.libc else parts
    linked = of(definition, options, work, entries)
    wanted = [word for name in entry_points(definition) for word in ("-u", name)]
    run([os.environ.get("LD", "ld"), "-r", "-z", "noexecstack", *wanted, *linked, "-o", output],
        options.verbose)


def parse(arguments):
    parser = usage.Parser(prog="limpet-component", description="Builds a component.")
    parser.add_argument("folder", nargs="?", help="folder with component.toml")
    parser.add_argument("-o", "--output", metavar="NAME.o")
    parser.add_argument("--interfaces", action="append", metavar="DIR",
                        help="folder of interface folders")
    parser.add_argument("--runtime", default=ROOT / "build" / "lib", metavar="DIR",
                        help="folder of the runtime archives")
    parser.add_argument("--packages", action="append", metavar="DIR",
                        help="folder of source packages for components; can be given several times")
    parser.add_argument("--cflags", default="", help="more flags for the compiler")
    parser.add_argument("--stubs-only", action="store_true", help="generate, but do not compile")
    parser.add_argument("--unit-test", action="store_true",
                        help="build the unit tests of a component in Rust, as a program for this machine")
    parser.add_argument("--print-flags", action="store_true", help="print compiler flags, and end")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--version", action=version.Option, help="print the version, and end")
    options = parser.parse_args(arguments)
    options.interfaces = options.interfaces or [ROOT / "interfaces"]
    options.packages = options.packages or [ROOT / "build" / "packages"]
    if not options.print_flags and not (options.folder and options.output):
        parser.error("The folder or the option '--output' is missing.")
    return options


def main(arguments):
    options = parse(arguments)
    if options.print_flags:
        print(shlex.join(FLAGS + WARNINGS + INCLUDES))
        return
    make = unit_test if options.unit_test else build
    make(component.read(Path(options.folder) / "component.toml"), options)


if __name__ == "__main__":
    sys.exit(errors.run("limpet-component", main))
