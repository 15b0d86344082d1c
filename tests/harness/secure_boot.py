# SPDX-License-Identifier: GPL-2.0
"""Makes machines with Secure Boot: firmware, a kernel image that it accepts, and signed modules.

Debian 12's package ovmf has firmware variables for tests, with an enrolled key. The package also has the private key and
its password. The firmware verifies the kernel image with this key. Debian's kernels are then locked down, and accept
modules that are signed with this key. Nothing is installed on this machine.
"""

import dataclasses
import functools
import re
from pathlib import Path

from .cache import command
from .kernels import Kernel, fetch
from .machine import Machine
from .suites import Suites, loader, unpacked

PASSWORD = "snakeoil"    # of the private key, from the package's README.Debian


@functools.cache
def _root() -> Path:
    return unpacked("secure-boot", Suites("bookworm"), ["ovmf", "sbsigntool", "openssl"])


def _tool(program: str, *arguments) -> None:
    command(*loader(_root(), program), *arguments)


def machine(flavour: str, folder: Path, **options) -> Machine:
    """Returns a machine that boots a kernel by Secure Boot. Its image is signed and written into a folder."""
    root, kernel = _root(), fetch(flavour)
    key, certificate = enrolled(folder)
    image = folder / f"vmlinuz-{flavour}"
    _tool("/usr/bin/sbsign", "--key", key, "--cert", certificate, "--output", image, kernel.vmlinuz)
    drives = []
    for words in (f"readonly=on,file={root}/usr/share/OVMF/OVMF_CODE_4M.fd",
                  f"snapshot=on,file={root}/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd"):
        drives += ["-drive", f"if=pflash,format=raw,{words}"]
    return Machine(kernel=dataclasses.replace(kernel, vmlinuz=image), boot=True, firmware=True,
                   qemu=tuple(drives), **options)


def enrolled(folder: Path) -> tuple[Path, Path]:
    """Returns the key that the firmware knows, without its password, in a folder, and its certificate."""
    key = folder / "enrolled.key"
    shipped = _root() / "usr/share/ovmf/PkKek-1-snakeoil"
    _tool("/usr/bin/openssl", "rsa", "-in", f"{shipped}.key", "-passin", f"pass:{PASSWORD}", "-out", key)
    return key, Path(f"{shipped}.pem")


def unknown(folder: Path) -> tuple[Path, Path]:
    """Returns a new key that the firmware does not know, and its certificate."""
    key, certificate = folder / "unknown.key", folder / "unknown.pem"
    _tool("/usr/bin/openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=unknown",
          "-config", "/dev/null", "-keyout", key, "-out", certificate)
    return key, certificate


def sign(kernel: Kernel, key: tuple[Path, Path], module: Path, signed: Path) -> None:
    """Writes a signed copy of a module without debugging information, as DKMS does."""
    command("strip", "--strip-debug", "-o", signed, module)
    digest = re.search('^CONFIG_MODULE_SIG_HASH="(.*)"$', kernel.config.read_text(), re.M)[1]
    *words, _ = loader(_root(), "")
    command(*words, (kernel.build / "scripts/sign-file").resolve(), digest, *key, signed)
