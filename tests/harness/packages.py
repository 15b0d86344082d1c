# SPDX-License-Identifier: GPL-2.0
"""Provides Debian's programs in a guest: packages of Debian 12 with all dependencies, in a folder of the cache.

QEMU shares the folder with the guest as a file system of type 9p, which the guest mounts (`lib/packages.sh`).
"""

import hashlib
from pathlib import Path

from .suites import Suites, unpacked

#: Linux's modules for the shared folder, and for an overlay in memory.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")


def root(packages: tuple) -> Path:
    """Returns the folder; downloads the packages if they are not in the cache."""
    name = hashlib.sha256(" ".join(sorted(packages)).encode()).hexdigest()[:12]
    return unpacked(f"packages-{name}", Suites("bookworm"), list(packages))


def words(packages: tuple) -> list[str]:
    """Returns QEMU's arguments. The list is empty without packages."""
    if not packages:
        return []
    return ["-virtfs", f"local,path={root(packages)},mount_tag=packages,security_model=none,readonly=on"]
