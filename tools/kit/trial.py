# SPDX-License-Identifier: BSD-2-Clause
"""Runs a system in QEMU, with the harness that tests Limpet itself. Nothing is loaded on this machine."""

import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools.compose.errors import Refused

#: Where DKMS and a person put a module, below /lib/modules/RELEASE.
PLACES = ("updates/dkms", "updates", "extra")
SUFFIXES = ("", ".xz", ".zst")
#: Where kernels are installed.
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
    """Returns the module as insmod takes it. A compressed one is unpacked into the folder."""
    if module.suffix == ".ko":
        return module
    plain = folder / "limpet.ko"
    if module.suffix == ".xz":
        plain.write_bytes(lzma.decompress(module.read_bytes()))
    else:
        subprocess.run(["zstd", "-dqf", module, "-o", plain], check=True)
    return plain


def kernel_of(want, root, folder):
    """Returns (kernel, module): an installed kernel that has the module, else one that the checkout fetches."""
    from tests.harness import kernels
    release = want or os.uname().release
    module = module_of(release)
    kernel = kernels.installed(release, MACHINE)
    if module and kernel.vmlinuz.is_file():
        return kernel, unpacked(module, folder)
    flavour = want or "6.1"
    module = root / f"build/module-{flavour}/limpet.ko"
    if flavour in kernels.FLAVOURS and module.is_file():
        return kernels.fetch(flavour), module
    raise Refused(f"kernel {release}", "module", "there is no limpet.ko for it, a system runs on a kernel "
                  "that has one, install limpet-dkms and the kernel's headers, or in a checkout run make module and give "
                  "--kernel 6.1")


def image_of(word):
    """Returns the image that a word names: a path, or a system of the project, which is built first."""
    if word.endswith(".limpet"):
        if not Path(word).is_file():
            raise Refused(word, "image", "there is no such file, limpet build makes images, correct the path")
        return Path(word)
    if not Path(f"{word}.toml").is_file():
        known = ", ".join(sorted(path.stem for path in Path(".").glob("*.toml"))) or "none"
        raise Refused(word, "system", f"there is no {word}.toml here, known are: {known}, correct the name or make one with "
                      f"limpet new system {word}")
    image = Path("build") / f"{word}.limpet"
    if subprocess.run(["make", "-s", "--no-print-directory", str(image)], check=False).returncode:
        raise Refused(f"{word}.toml", "build", "make failed, its messages stand above, correct the mistakes")
    return image


def command_of(root):
    """Returns the command `limpet` for the guest: the checkout's, else the one that is installed."""
    built = root / "build/cli/limpet"
    found = built if built.is_file() else shutil.which("limpet")
    if not found:
        raise Refused(root, "limpet", "the command is not built, the guest needs it, run make cli there")
    return Path(found)


def run(want, root):
    """Boots, attaches, runs the script. Returns 0 if the guest was well and all verdicts were good."""
    logs = Path("build/logs").resolve()
    image = image_of(want.system)
    logs.mkdir(parents=True, exist_ok=True)
    os.environ["LIMPET_LOGS"] = str(logs)
    from tests.harness.bochs import open_guest
    from tests.harness.console import of_kernel
    from tests.harness.initramfs import GUEST, Initramfs
    from tests.harness.machine import Machine
    kernel, module = kernel_of(want.kernel, root, logs)
    initramfs = Initramfs()
    initramfs.file(module, "/limpet/limpet.ko")
    initramfs.file(command_of(root), "/usr/bin/limpet")
    initramfs.file(image, f"/limpet/images/{image.name}")
    script = Path(want.script) if want.script else GUEST / "run-system"
    initramfs.text("/limpet/run.sh", script.read_text())
    machine = Machine(kernel=kernel, cpus=want.cpus, timeout=want.timeout)
    print(f"booting Linux {kernel.release} in QEMU", flush=True)
    with open_guest(machine, initramfs, image.stem) as guest:
        guest.on_line = lambda line: None if of_kernel(line) else print(line, flush=True)
        result = guest.finish()
    for record in (record for record in result.records if "test" in record):
        print(f"{'ok' if record['ok'] else 'FAILED'}: {record['test']}" + (f": {record['why']}" if not record["ok"] else ""))
    if not result.ok:
        print(result.report(), file=sys.stderr)
    return 0 if result.ok else 1
