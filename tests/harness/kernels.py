# SPDX-License-Identifier: GPL-2.0
"""Fetches the kernels to test on: Debian's packages, unpacked into the cache, not installed.

Those in STOCK and CLOUD are Debian 12's on each machine. Their tools (kbuild) run with Debian 12's libc or a newer one,
and use gcc-12, which Debian 13 also has. Those in NEWER are kernels of a suite of a later release, and their modules
are built in a root of that release (kbuild.py). A flavour is fetched once and then does not change. Delete
CACHE/FLAVOUR to get Debian's current version.

    python3 -m tests.harness.kernels 6.1 build     prints one field
    python3 -m tests.harness.kernels 6.1 headers   prints the folder of the headers, without fetching the kernel
"""

import dataclasses
import os
import re
import shutil
import sys
from pathlib import Path

from . import debug_kernel
from .cache import cache_dir, command, locked, publish, say
from .suites import Suites, merged, unpack

#: flavour -> the part of the meta packages' names after linux-image-
STOCK = {
    "6.1": "amd64",
    "6.12": "6.12-amd64",
    "6.1-rt": "rt-amd64",
    "6.12-rt": "6.12-rt-amd64",
}
#: Kernels for virtual machines, with fewer drivers, in the same form.
CLOUD = {
    "6.1-cloud": "cloud-amd64",
    "6.12-cloud": "6.12-cloud-amd64",
}
DEBIAN_12 = {**STOCK, **CLOUD}
#: flavour -> the suite that has it, the release that its tools run on, the part of the packages' names after the
#: version, and the version ("": the suite's current kernel)
NEWER = {
    "newest": ("trixie-backports", "trixie", "amd64", ""),
    "newest-rt": ("trixie-backports", "trixie", "rt-amd64", ""),
    "newest-cloud": ("trixie-backports", "trixie", "cloud-amd64", ""),
    "7.2": ("trixie-backports", "trixie", "amd64", "7.2"),
}
#: Suites of the kernels in DEBIAN_12: the release, and its security updates, which also have 6.12.
SUITES = ("bookworm", "bookworm-security")
DEBUG = "6.1-debug"
FLAVOURS = [*DEBIAN_12, *NEWER, DEBUG]


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel on disk: the image that boots, and the files that modules are built with."""

    flavour: str
    release: str       # the output of `uname -r`
    vmlinuz: Path
    build: Path        # the folder for `make -C`
    modules: Path      # lib/modules/RELEASE, with modules.dep
    config: Path
    system_map: Path   # real for the debug kernel only: Debian ships a stub


def fetch(flavour: str) -> Kernel:
    """Returns the kernel of a flavour. Downloads, unpacks or builds it if it is missing."""
    _check(flavour, FLAVOURS)
    with locked(flavour):
        if flavour == DEBUG:
            return _debug(debug_kernel.tree())
        root = cache_dir() / flavour
        if not root.exists():
            _unpack(flavour, root)
        return _newer(flavour, root) if flavour in NEWER else _stock(flavour, root)


def _check(flavour: str, flavours) -> None:
    if flavour not in flavours:
        raise ValueError(f"no kernel flavour {flavour!r}: use one of {', '.join(flavours)}")


def installed(release: str, root: Path = Path("/")) -> Kernel:
    """Returns a kernel that is installed below a root folder. Its files may be missing."""
    modules, boot = root / "lib/modules" / release, root / "boot"
    return Kernel(release, release, boot / f"vmlinuz-{release}", modules / "build", modules,
                  boot / f"config-{release}", boot / f"System.map-{release}")


def headers(flavour: str) -> Path:
    """Returns the folder for building modules. The kernel itself need not be in the cache."""
    _check(flavour, DEBIAN_12)
    with locked(flavour):
        if (cache_dir() / flavour).exists():
            return _stock(flavour, cache_dir() / flavour).build
        root = cache_dir() / f"{flavour}-headers"
        if not root.exists():
            _unpack(flavour, root, images=False)
    [folder] = root.glob("usr/src/linux-headers-*-amd64")
    return folder


def _unpack(flavour: str, root: Path, images: bool = True) -> None:
    temporary = root.with_name(f"{root.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    merged(temporary)
    if flavour in NEWER:
        suite, _, suffix, version = NEWER[flavour]
        suites = Suites(suite)
        packages = packages_newer(suites, suffix, version)
    else:
        suites = Suites(*SUITES)
        packages = pair(suites, DEBIAN_12[flavour])
    for deb in suites.downloads(packages if images else packages[1:]):
        unpack(deb, temporary)
    _relocate(temporary, root)
    if images:
        _depmod(temporary)
    publish(temporary, root)
    say(f"kernel {root.name} is in {root}")


def pair(suites: Suites, suffix: str) -> list[str]:
    """Returns the packages that the meta packages for image and headers depend on, image first."""
    [image] = suites.depends(f"linux-image-{suffix}", r"linux-image-\d.*")
    [headers] = suites.depends(f"linux-headers-{suffix}", r"linux-headers-\d.*")
    needs = r"linux-headers-.*-common(-rt)?|linux-kbuild-.*|linux-compiler-.*"
    return [image, headers, *suites.depends(headers, needs)]


def newest_name(names: list[str], version: str) -> str:
    """Returns the image of a version's newest release among names of packages; raises RuntimeError if it is missing."""
    found = [(int(match[1]), name) for name in names
             if (match := re.fullmatch(rf"linux-image-{re.escape(version)}\.(\d+)(\+[^-]*)?-amd64", name))]
    if not found:
        raise RuntimeError(f"the archive has no kernel {version} any more")
    return max(found)[1]


def represented(flavour: str) -> str:
    """Returns the kernel in STOCK that a flavour represents. Properties name kernels in STOCK, and few others."""
    if flavour == DEBUG:
        return "6.1"
    if flavour in NEWER:
        return "6.12-rt" if flavour.endswith("-rt") else "6.12"
    return flavour.removesuffix("-cloud")


def packages_newer(suites: Suites, suffix: str, version: str) -> list[str]:
    """Returns the packages of the current kernel, or of a version from 7.0 on whose release packages are also empty."""
    if version:
        image = newest_name(suites.names_of(f"linux-image-{version}."), version)
    else:
        [image] = suites.depends(f"linux-image-{suffix}", r"linux-image-\d.*")
    headers = image.replace("linux-image-", "linux-headers-")
    return [*suites.depends(image, r"linux-(binary|modules|base)-\d.*"),
            headers, *suites.depends(headers, r"linux-headers-.*-common|linux-kbuild-.*")]


def _relocate(tree: Path, root: Path) -> None:
    """Makes headers for the folder /usr/src work from `root`."""
    for makefile in tree.glob("usr/src/linux-headers-*-amd64/Makefile"):
        text = makefile.read_text()
        makefile.write_text(re.sub(r"(?<=[\s=])/usr/(?=src/)", f"{root}/usr/", text))
        # With this file (type information only, 6.12) kbuild would run pahole on every module, and no test needs that.
        makefile.with_name("vmlinux").unlink(missing_ok=True)
    for link in tree.glob("lib/modules/*/*"):
        if link.is_symlink() and link.readlink().is_absolute():
            target = tree / str(link.readlink()).lstrip("/")
            link.unlink()
            link.symlink_to(os.path.relpath(target, link.parent.resolve()))


def _depmod(root: Path) -> None:
    [modules] = root.glob("lib/modules/*")
    # PATH of an ordinary user may lack sbin.
    command(shutil.which("depmod", path="/usr/sbin:/sbin:/usr/bin"), "-b", root, modules.name)


def _stock(flavour: str, root: Path) -> Kernel:
    [modules] = root.glob("lib/modules/*")
    release = modules.name
    return Kernel(flavour, release, root / f"boot/vmlinuz-{release}",
                  (modules / "build").resolve(), modules,
                  root / f"boot/config-{release}", root / f"boot/System.map-{release}")


def _newer(flavour: str, root: Path) -> Kernel:
    [modules] = root.glob("usr/lib/modules/*")
    return Kernel(flavour, modules.name, modules / "vmlinuz", (modules / "build").resolve(), modules,
                  modules / "config", modules / "System.map")


def _debug(tree: Path) -> Kernel:
    if not list(tree.glob("root/lib/modules/*/modules.dep")):
        _depmod(tree / "root")
    [modules] = tree.glob("root/lib/modules/*")
    return Kernel(DEBUG, modules.name, tree / "arch/x86/boot/bzImage", tree, modules,
                  tree / ".config", tree / "System.map")


def main(arguments: list[str]) -> int:
    """Fetches a flavour. Prints all its fields, or the requested one."""
    if not arguments or len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[1:] == ["headers"]:
        print(headers(arguments[0]))
        return 0
    fields = dataclasses.asdict(fetch(arguments[0]))
    if len(arguments) == 2:
        print(fields[arguments[1]])
    else:
        print("\n".join(f"{name:10} {value}" for name, value in fields.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
