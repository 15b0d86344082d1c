# SPDX-License-Identifier: GPL-2.0
"""A newer QEMU than Debian 12's, from its backports: unpacked into the cache, not installed.

Its TCG has what that of 7.2 lacks: x2APIC. It needs the libraries that the installed one needs.

    python3 -m tests.harness.newer_qemu            prints its program
"""

import hashlib
import shutil
import sys
from pathlib import Path

from .cache import cache_dir, command, locked, publish, say
from .packages import unpack

VERSION = "10.0.2+ds-2+deb13u1~bpo12+1"
PACKAGES = (
    ("qemu-system-x86", f"1:{VERSION}",
     "4a6b1856c8b0d7df4ff8e70249e12c473ccf8d516aadb4ae14d3d938faed0c65"),
    ("qemu-system-data", f"1:{VERSION}",
     "2d831088187087013b3fcbd19bdfb955b182a2d5a08f6dafa0ad1c6d2007fb4e"),
    ("seabios", "1.16.3-2~bpo12+1",
     "48390d0a534c66d11789e39518aa219773a9d3677b29fe1af8799dfb563ec713"),
)
SOURCE = ("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
          "http://deb.debian.org/debian bookworm-backports main\n")


def newer_qemu() -> list[str]:
    """The program, and where its firmware is; downloads it when missing."""
    root = cache_dir() / f"qemu-{VERSION.partition('+')[0]}"
    with locked("newer-qemu"):
        if not root.exists():
            temporary = root.with_name(f"{root.name}.part")
            shutil.rmtree(temporary, ignore_errors=True)
            _fetch(temporary)
            publish(temporary, root)
            say(f"QEMU {VERSION} is in {root}")
    return [str(root / "usr/bin/qemu-system-x86_64"),
            "-L", str(root / "usr/share/qemu"), "-L", str(root / "usr/share/seabios")]


def _fetch(into: Path) -> None:
    """Download, compare, unpack. apt gets lists of its own: the machine's stay as they are."""
    lists = into / "apt"
    (lists / "lists/partial").mkdir(parents=True)
    (lists / "archives/partial").mkdir(parents=True)
    (lists / "sources").write_text(SOURCE)
    options = ["APT::Sandbox::User=root", f"Dir::State={lists}", f"Dir::Cache={lists}",
               "Dir::State::Status=/var/lib/dpkg/status",
               f"Dir::Etc::SourceList={lists}/sources", "Dir::Etc::SourceParts=/dev/null"]
    apt = ["apt-get", "-q", *(word for option in options for word in ("-o", option))]
    say(f"downloading QEMU {VERSION}")
    command(*apt, "update")
    for name, version, digest in PACKAGES:
        command(*apt, "download", f"{name}={version}", cwd=lists)
        [deb] = lists.glob(f"{name}_*.deb")
        found = hashlib.sha256(deb.read_bytes()).hexdigest()
        if found != digest:
            raise RuntimeError(f"{deb.name}: sha256 is {found}, not {digest}")
        unpack(deb, into)
    shutil.rmtree(lists)


if __name__ == "__main__":
    try:
        print(newer_qemu()[0])
    except RuntimeError as error:
        sys.exit(f"no QEMU {VERSION}: {error}")
