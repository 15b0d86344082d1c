# SPDX-License-Identifier: GPL-2.0
"""Debian packages as files: resolved with apt-cache, downloaded, never installed."""

import os
import re
from pathlib import Path

from .cache import cache_dir, command, locked, say


def refresh() -> None:
    """Fetch apt's lists anew; needs root."""
    say("refreshing apt's lists")
    command(*([] if os.geteuid() == 0 else ["sudo"]), "apt-get", "update", "-qq")


def field(package: str, name: str) -> str:
    """A field of the newest candidate of a package, as apt knows it."""
    text = command("apt-cache", "show", "--no-all-versions", package)
    found = re.search(rf"^{name}: (.*)$", text, re.M)
    if not found:
        raise RuntimeError(f"apt-cache show {package}: no field {name}")
    return found.group(1)


def depends(package: str, pattern: str) -> list[str]:
    """Names that a package depends on and that match a regular expression."""
    words = re.split(r"[,|]", field(package, "Depends"))
    names = [word.split()[0] for word in words]
    return [name for name in names if re.fullmatch(pattern, name)]


def download(package: str) -> Path:
    """The .deb of a package's candidate, from the cache or through apt-get."""
    debs = cache_dir() / "debs"
    debs.mkdir(exist_ok=True)
    version = field(package, "Version").replace(":", "%3a")
    arch = field(package, "Architecture")
    deb = debs / f"{package}_{version}_{arch}.deb"
    # Two flavours may want the same package at the same time.
    with locked("debs"):
        if not deb.exists():
            say(f"downloading {package}")
            # apt-get writes straight to the final name, so a torn download could
            # stay behind: take it in a folder of its own, then rename.
            part = debs / f"{package}.part"
            part.mkdir(exist_ok=True)
            command("apt-get", "-o", "APT::Sandbox::User=root", "download", package, cwd=part)
            (part / deb.name).rename(deb)
            part.rmdir()
    return deb


def unpack(deb: Path, into: Path) -> None:
    """Unpack a .deb into a folder, running none of its scripts."""
    say(f"unpacking {deb.name}")
    command("dpkg-deb", "-x", deb, into)
