# SPDX-License-Identifier: GPL-2.0
"""Finds a QEMU that is newer than Debian 12's: the installed one, or that of bookworm-backports.

Its TCG emulates x2APIC, which TCG of QEMU 7.2 does not. The QEMU of Debian 13 is new enough. On Debian
12 the backport is unpacked into the cache. It uses the libraries of the installed QEMU.

    python3 -m tests.harness.newer_qemu            prints the path of its program
"""

import re
import sys

from .cache import command
from .suites import Suites, unpacked

INSTALLED = "qemu-system-x86_64"
PACKAGES = ["qemu-system-x86", "qemu-system-data", "seabios"]
NEW_ENOUGH = 9


def newer_qemu() -> list[str]:
    """Returns the program and its firmware arguments; downloads QEMU if it is missing."""
    if major(command(INSTALLED, "--version")) >= NEW_ENOUGH:
        return [INSTALLED]
    root = unpacked("newer-qemu", Suites("bookworm-backports"), PACKAGES, dependencies=False)
    return [str(root / "usr/bin/qemu-system-x86_64"),
            "-L", str(root / "usr/share/qemu"), "-L", str(root / "usr/share/seabios")]


def major(text: str) -> int:
    """Returns the major version that `qemu --version` printed."""
    found = re.search(r"version (\d+)\.", text)
    if not found:
        raise RuntimeError(f"{INSTALLED} --version prints no version: {text.strip()!r}")
    return int(found[1])


if __name__ == "__main__":
    try:
        print(newer_qemu()[0])
    except RuntimeError as error:
        sys.exit(f"no newer QEMU: {error}")
