# SPDX-License-Identifier: GPL-2.0
"""Reads properties: folders below tests/system with test.toml and run.sh."""

import dataclasses
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

from . import selftests
from .kernels import DEBUG, FLAVOURS, NEWER, STOCK, fetch, represented

MODES = ("beside", "beneath")
MACHINES = ("qemu", "bochs")

TOP = Path(__file__).parents[2]
SYSTEM = TOP / "tests/system"
BUILD = TOP / "build"


#: The kernels on which `make test-all` runs full counts. On others it runs the counts of `make test`.
FULL_COUNTS = ("6.1", "6.12")


class BadDeclaration(Exception):
    """test.toml has an entry that the harness does not understand."""


@dataclasses.dataclass(frozen=True)
class Property:
    """The declarations of a property's test.toml. README.md explains each key."""

    name: str
    folder: Path
    what: str = ""
    kernels: tuple = tuple(STOCK)
    quick: tuple = ()
    quick_modes: tuple = MODES
    cpus: tuple = (1, 2)
    modes: tuple = ("beside",)
    machine: str = "qemu"
    cpu: str = ""
    pcid: bool = False
    counted: bool = False
    timeout: float = 60
    timeout_long: float = 0
    shared: bool = False
    boot: bool = False
    limpet: bool = True
    images: tuple = ()
    modules: tuple = ()
    programs: tuple = ()
    python: bool = False
    files: dict = dataclasses.field(default_factory=dict)
    memory: int = 1024
    append: str = ""
    pti: bool = False
    nopti: bool = True
    loglevel: int = 6
    newer_qemu: bool = False
    packages: tuple = ()
    selftests: bool = False
    long: bool = False
    forward: tuple = ()
    cable: bool = False
    qemu: tuple = ()
    watch: bool = True
    ends: str = "poweroff"
    debug: bool = True
    newest: bool = True

    def runs_on(self, kernel: str) -> bool:
        """Returns whether the property is meant for the kernel that this kernel represents."""
        return (bool({kernel, represented(kernel)} & {*self.kernels}) and (self.debug or kernel != DEBUG)
                and (self.newest or kernel not in NEWER))

    def cases(self) -> list[tuple[str, int, str]]:
        """Returns the kernel, number of processors and mode of each of its cases with full counts."""
        return [(kernel, cpus, mode) for kernel in FULL_COUNTS if kernel in self.kernels
                for cpus in self.cpus for mode in self.modes]

    def builder(self) -> Path | None:
        """Returns the Python file that makes files for the guest before it starts, or None."""
        path = self.folder / "build.py"
        return path if path.exists() else None

    def driver(self) -> Path | None:
        """Returns the Python file that operates the guest from outside, or None."""
        path = self.folder / "drive.py"
        return path if path.exists() else None

    def built(self) -> Path:
        """Returns the folder of its built programs and systems."""
        below = self.folder.relative_to(SYSTEM) if self.folder.is_relative_to(SYSTEM) else self.name
        return BUILD / "system" / below

    def payload(self, kernel: str) -> dict[str, Path]:
        """Returns guest path -> host path of all files that the property needs."""
        home, result = f"/limpet/tests/{self.name}", {}
        for source in (self.folder, self.built()):
            for path in sorted(source.rglob("*")) if source.exists() else ():
                if path.is_file() and path.suffix not in (".c", ".d", ".toml", ".py", ".pyc"):
                    result[f"{home}/{path.relative_to(source)}"] = path
        for image in self.images:
            result[f"/limpet/images/{image}.limpet"] = BUILD / f"systems/{image}.limpet"
        for guest, host in self.files.items():
            vmlinuz = fetch(kernel).vmlinuz if "{vmlinuz}" in host else ""
            result[guest] = TOP / host.format(kernel=kernel, vmlinuz=vmlinuz)
        if self.selftests:
            result |= {f"/limpet/selftests/{path.name}": path for path in sorted(selftests.root().iterdir())}
        if self.limpet:
            result |= limpet_files(kernel)
            result |= {f"/limpet/{path.name}": path for path in (SYSTEM / "lib").glob("*.sh")}
        return result


#: terminfo entries of the terminals that may show the guest's console, for `limpet top`.
TERMINALS = [Path("/lib/terminfo") / name[0] / name
             for name in ("linux", "vt100", "vt220", "xterm", "xterm-256color", "screen", "tmux")]


def limpet_files(kernel: str) -> dict[str, Path]:
    """Returns guest path -> host path of Limpet's own files."""
    return {"/limpet/limpet.ko": BUILD / f"module-{kernel}/limpet.ko",
            "/usr/bin/limpet": BUILD / "cli/limpet", "/usr/bin/limpet-top": BUILD / "cli/limpet-top",
            **{str(path): path for path in TERMINALS if path.exists()}}


def load(folder: Path) -> Property:
    """Reads the folder of a property. Refuses unknown keys and wrong types."""
    file = folder / "test.toml"
    values = tomllib.loads(file.read_text())
    fields = {field.name: field for field in dataclasses.fields(Property)}
    for key, value in values.items():
        if key not in fields or key in ("name", "folder"):
            raise BadDeclaration(f"{file}: no key {key!r}")
        if isinstance(value, list):
            values[key] = value = tuple(value)
        wanted = {float: (int, float)}.get(fields[key].type, fields[key].type)
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise BadDeclaration(f"{file}: {key} must be {fields[key].type.__name__}")
    unknown = {*values.get("kernels", ()), *values.get("quick", ())} - set(FLAVOURS)
    if unknown:
        raise BadDeclaration(f"{file}: no kernel {', '.join(sorted(map(str, unknown)))}")
    if set(values.get("modes", ())) - set(MODES):
        raise BadDeclaration(f"{file}: modes are {', '.join(MODES)}")
    if set(values.get("quick_modes", ())) - set(values.get("modes", Property.modes)):
        raise BadDeclaration(f"{file}: quick_modes has a mode that modes does not have")
    if values.get("machine", "qemu") not in MACHINES:
        raise BadDeclaration(f"{file}: machine is {values['machine']!r}, not one of {', '.join(MACHINES)}")
    if not (folder / "run.sh").exists():
        raise BadDeclaration(f"{folder}: no run.sh")
    found = Property(name=folder.name, folder=folder, **values)
    if found.shared and (found.driver() or found.ends != "poweroff"):
        raise BadDeclaration(f"{file}: a shared guest cannot have a driver, or end otherwise")
    if found.machine == "bochs" and (not found.cpu or found.counted or found.forward or found.cable or found.qemu
                                     or found.newer_qemu):
        raise BadDeclaration(f"{file}: a machine of Bochs needs cpu, and has no counted, forward, cable, qemu, newer_qemu")
    if found.pcid and found.machine != "bochs":
        raise BadDeclaration(f"{file}: pcid needs a machine of Bochs")
    if found.cable and found.shared:
        raise BadDeclaration(f"{file}: a machine with cable is not shared")
    return found


def discover(root: Path = SYSTEM) -> list[Property]:
    """Returns all properties below a folder, sorted by name. Raises BadDeclaration if two have the same name."""
    found = {}
    for file in sorted(root.rglob("test.toml")):
        here = load(file.parent)
        if here.name in found:
            raise BadDeclaration(f"{file}: {found[here.name].folder} has the same name")
        found[here.name] = here
    return [found[name] for name in sorted(found)]


def pick(names: Iterable[str], root: Path = SYSTEM) -> list[Property]:
    """Returns the properties with these names, sorted by name. Raises BadDeclaration if one of them does not exist."""
    found, wanted_names = {one.name: one for one in discover(root)}, sorted(set(names))
    if unknown := [name for name in wanted_names if name not in found]:
        raise BadDeclaration(f"no property {', '.join(unknown)}")
    return [found[name] for name in wanted_names]


def wanted(variable: str, default: str) -> list[str]:
    """Returns the words of KERNEL or CPUS, separated by spaces or commas."""
    return (os.environ.get(variable) or default).replace(",", " ").split()


def quick(found: Property, kernel: str, cpus: int, mode: str) -> bool:
    """Returns whether `make test` runs the property there: on both kernels, with few processors on one and many on the
    other. A property with `quick` runs beneath on these kernels only, and beside on the others. A property with
    `quick_modes` runs in these modes only.

    `make test-all` runs every property on every kernel with every number of processors.
    """
    few_or_many = min if kernel == "6.1" else max
    here = not found.quick or (kernel in found.quick) == (mode == "beneath")
    return cpus == few_or_many(found.cpus) and here and mode in found.quick_modes
