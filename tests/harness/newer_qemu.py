# SPDX-License-Identifier: GPL-2.0
"""A QEMU that is newer than Debian 12's: the installed one, or that of bookworm-backports.

Its TCG has what that of 7.2 lacks: x2APIC. Debian 13 has installed one that is new enough. On Debian
12 the backport is unpacked into the cache, and needs the libraries that the installed one needs.

    python3 -m tests.harness.newer_qemu            prints its program
"""

import re
import sys

from .cache import command
from .suites import Suites, unpacked

INSTALLED = "qemu-system-x86_64"
PACKAGES = ["qemu-system-x86", "qemu-system-data", "seabios"]
NEW_ENOUGH = 9


def newer_qemu() -> list[str]:
    """Returns the program, and where its firmware is; downloads it when it is missing."""
    if major(command(INSTALLED, "--version")) >= NEW_ENOUGH:
        return [INSTALLED]
    root = unpacked("newer-qemu", Suites("bookworm-backports"), PACKAGES, dependencies=False)
    return [str(root / "usr/bin/qemu-system-x86_64"),
            "-L", str(root / "usr/share/qemu"), "-L", str(root / "usr/share/seabios")]


def major(text: str) -> int:
    """Returns the major version that `qemu --version` printed."""
    found = re.search(r"version (\d+)\.", text)
    if not found:
        raise RuntimeError(f"{INSTALLED} --version says no version: {text.strip()!r}")
    return int(found[1])


if __name__ == "__main__":
    try:
        print(newer_qemu()[0])
    except RuntimeError as error:
        sys.exit(f"no newer QEMU: {error}")
