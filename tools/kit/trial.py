# SPDX-License-Identifier: BSD-2-Clause
"""Runs a system in QEMU, with Limpet's own test harness. Nothing is loaded on this machine."""

import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.compose import table
from tools.compose.errors import Refused

from . import guest

#: Folders for modules from DKMS or from the user, below /lib/modules/RELEASE.
PLACES = ("updates/dkms", "updates", "extra")
SUFFIXES = ("", ".xz", ".zst")
#: Programs that a trial executes or takes for the guest, and Debian's packages that have them.
PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "musl-gcc": "musl-tools",
            "zstd": "zstd"}
#: Root of the file system with the installed kernels.
MACHINE = Path("/")


def module_of(release):
    """Returns Limpet's module for an installed kernel, or None."""
    for place in PLACES:
        for suffix in SUFFIXES:
            path = MACHINE / "lib/modules" / release / place / f"limpet.ko{suffix}"
            if path.is_file():
                return path
    return None


def unpacked(module, folder):
    """Returns the path of the module without compression. A compressed module is unpacked into the folder."""
    if module.suffix == ".ko":
        return module
    plain = folder / "limpet.ko"
    if module.suffix == ".xz":
        plain.write_bytes(lzma.decompress(module.read_bytes()))
    else:
        subprocess.run(["zstd", "-dqf", module, "-o", plain], check=True)
    return plain


def newest(releases):
    """Returns the releases of kernels, the newest first. Numbers count by their value: 6.1.0-10 is after 6.1.0-9."""
    return sorted(releases, key=lambda release: [int(number) for number in re.findall(r"\d+", release)], reverse=True)


def installed():
    """Yields each installed kernel that has an image and the module, with the module. The newest one is first."""
    from tests.harness import kernels
    for release in newest(path.name for path in (MACHINE / "lib/modules").glob("*")):
        module, kernel = module_of(release), kernels.installed(release, MACHINE)
        if module and kernel.vmlinuz.is_file():
            yield kernel, module


def kernel_of(want, root, folder):
    """Returns a kernel and its module: one that is installed with the module, or one that the checkout fetches.

    Without `want` the running kernel comes first, then the kernel 6.1 of a checkout that has built its module, then the
    newest installed kernel with the module. The running kernel has none in a container, or if DKMS has built the module
    for a newer kernel only.
    """
    from tests.harness import kernels
    release = want or os.uname().release
    module = module_of(release)
    kernel = kernels.installed(release, MACHINE)
    if module and kernel.vmlinuz.is_file():
        return kernel, unpacked(module, folder)
    flavour = want or "6.1"
    built = root / f"build/module-{flavour}/limpet.ko"
    if flavour in kernels.FLAVOURS and built.is_file():
        return kernels.fetch(flavour), built
    found = None if want else next(installed(), None)
    if found:
        return found[0], unpacked(found[1], folder)
    missing = kernel.vmlinuz if module else "limpet.ko"
    raise Refused.plainly(f"There is no {missing} for kernel {release}. Install limpet-dkms and the kernel's headers, "
                          "or in a checkout run `make module` and give --kernel 6.1.")


def programs_check():
    """Refuses a trial on a machine without a program that it needs."""
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            raise Refused.plainly(f"The program {program} is not installed. A trial needs it for the guest. Install it "
                                  f"with `apt install {package}`.")


def image_of(word):
    """Returns the path of an image. The word is that path, or the name of a system of the project, which is built."""
    if word.endswith(".limpet"):
        if not Path(word).is_file():
            raise Refused.plainly(f"There is no image {word}. Correct the path, or make images with `limpet build`.")
        return Path(word)
    if not Path(f"{word}.toml").is_file():
        known = [path.stem for path in Path(".").glob("*.toml")]
        names = table.near(word, known) if known else "This folder has no system."
        raise Refused.plainly(f"There is no {word}.toml here. {names} Correct the name, or make the system with "
                              f"`limpet new system {word}`.")
    image = Path("build") / f"{word}.limpet"
    if subprocess.run(["make", "-s", "--no-print-directory", str(image)], check=False).returncode:
        raise Refused.plainly(f"make could not build {word}.toml. Correct the mistakes in its messages above.")
    return image


def run(want, root):
    """Boots a guest that runs the script. Returns 0 if the guest had no error and all verdicts are ok."""
    logs = Path("build/logs").resolve()
    guest.check(want, sys.stdin)
    programs_check()
    image = image_of(want.system)
    logs.mkdir(parents=True, exist_ok=True)
    os.environ["LIMPET_LOGS"] = str(logs)
    from tests.harness.bochs import open_guest
    from tests.harness.console import of_kernel
    from tests.harness.interact import interact
    kernel, module = kernel_of(want.kernel, root, logs)
    initramfs = guest.initramfs(want, image, kernel, module, root)
    print(f"booting Linux {kernel.release} in QEMU", flush=True)
    with open_guest(guest.machine(want, kernel), initramfs, image.stem) as running:
        running.on_line = lambda line: None if of_kernel(line) else print(line, flush=True)
        if want.shell and running.wait_record("shell") and interact(running):
            return 0
        result = running.finish()
    for record in result.records:
        if "test" in record:
            print(f"ok: {record['test']}" if record["ok"] else f"FAILED: {record['test']}: {record['why']}")
    if not result.ok:
        print(result.report(), file=sys.stderr)
    return 0 if result.ok else 1
