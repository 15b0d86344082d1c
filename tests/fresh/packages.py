# SPDX-License-Identifier: GPL-2.0
"""Finds the Debian packages under test, and defines a shell function that lists the file system."""

import re
from pathlib import Path

TOP = Path(__file__).parents[2]
DEBS = TOP / "build/debs"
NAMES = {"limpet", "limpet-bridge", "limpet-dkms", "liblimpet0", "liblimpet-dev", "python3-limpet", "limpet-sdk", "limpet-doc"}

#: `snapshot FILE` writes a line for each file of the root: name, type, mode, owner, size, time, target of a link. It
#: omits the databases, logs, caches and backups of dpkg, apt and other packages, and the kernels. It writes the content
#: of the files with users and groups instead of their times, because the times change.
SNAPSHOT = r"""
snapshot() {
	{
		find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /root -o -path /boot \
			-o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/trial \
			-o -path /var/tmp -o -path /var/lib/systemd -o -path /var/lib/dkms/mok.pub -o -path /var/lib/dkms/mok.key \
			-o -path '/lib/modules/*' -o -path '/usr/lib/modules/*' -o -path '/usr/src/linux-*' -o -path '/usr/lib/linux-kbuild*' \
			-o -path /etc/ld.so.cache -o -path '/etc/*-' -o -path /etc/group -o -path /etc/gshadow -o -path /etc/passwd \
			-o -path /etc/shadow -o -path '/initrd.img*' -o -path '/vmlinuz*' -o -path '/usr/share/*/linux-*' \
			-o -path /etc/machine-id -o -path /var/lib/dbus/machine-id -o -name __pycache__ \) -prune \
			-o -type d -printf '%p %y %m %U %G\n' -o -printf '%p %y %m %U %G %s %T@ %l\n'
		sed 's/^/group /' /etc/group
		sed 's/^/gshadow /' /etc/gshadow
		sed 's/^/user /' /etc/passwd
		find /lib/modules/ -name 'limpet*' 2>&1 | sed 's/^/module /'
	} | sort >$1
}
"""


def debs() -> dict[str, Path]:
    """Returns the packages as {name: path}."""
    return {path.name.split("_")[0]: path for path in sorted(DEBS.glob("*.deb"))}


def version() -> str:
    """Returns the version of the changelog's first entry."""
    return re.match(r"limpet \((.*?)\)", (TOP / "packaging/debian/changelog").read_text())[1]
