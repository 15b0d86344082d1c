# SPDX-License-Identifier: GPL-2.0
"""A newer QEMU than Debian 12's, from its backports: unpacked into the cache, not installed.

Its TCG has what that of 7.2 lacks: x2APIC. It needs the libraries that the installed one needs.

    python3 -m tests.harness.newer_qemu            prints its program
"""

import shutil
import sys
from pathlib import Path

from .cache import cache_dir, command, locked, publish, say
from .packages import unpack

PACKAGES = ("qemu-system-x86", "qemu-system-data", "seabios")
SOURCE = ("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
          "http://deb.debian.org/debian bookworm-backports main\n")


def newer_qemu() -> list[str]:
    """The program, and where its firmware is; downloads it when missing."""
    root = cache_dir() / "newer-qemu"
    with locked("newer-qemu"):
        if not root.exists():
            temporary = root.with_name(f"{root.name}.part")
            shutil.rmtree(temporary, ignore_errors=True)
            _fetch(temporary)
            publish(temporary, root)
            say(f"a newer QEMU is in {root}")
    return [str(root / "usr/bin/qemu-system-x86_64"),
            "-L", str(root / "usr/share/qemu"), "-L", str(root / "usr/share/seabios")]


def _fetch(into: Path) -> None:
    """Download, unpack. apt, which looks at signatures, has lists of its own: the machine's stay as they are."""
    lists = into / "apt"
    (lists / "lists/partial").mkdir(parents=True)
    (lists / "archives/partial").mkdir(parents=True)
    (lists / "sources").write_text(SOURCE)
    options = ["APT::Sandbox::User=root", f"Dir::State={lists}", f"Dir::Cache={lists}",
               "Dir::State::Status=/var/lib/dpkg/status",
               f"Dir::Etc::SourceList={lists}/sources", "Dir::Etc::SourceParts=/dev/null"]
    apt = ["apt-get", "-q", *(word for option in options for word in ("-o", option))]
    say("downloading a newer QEMU")
    command(*apt, "update")
    for name in PACKAGES:
        command(*apt, "download", name, cwd=lists)
        [deb] = lists.glob(f"{name}_*.deb")
        unpack(deb, into)
    shutil.rmtree(lists)


if __name__ == "__main__":
    try:
        print(newer_qemu()[0])
    except RuntimeError as error:
        sys.exit(f"no newer QEMU: {error}")
