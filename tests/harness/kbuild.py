# SPDX-License-Identifier: GPL-2.0
"""Runs kbuild or a tool of it for a kernel, on a release whose compiler and libc they need.

    python3 -m tests.harness.kbuild newest make M=FOLDER modules      in the kernel's headers
    python3 -m tests.harness.kbuild newest objtool ARGUMENTS...       in the folder of this tree

Tools for kernels of Debian 12 run on this machine. Those for newer kernels run in a root of their release in the cache,
which mmdebstrap makes. This tree and the cache are mounted into it at their own paths, in a mount namespace that ends
with make. That needs root.
"""

import os
import shutil
import sys
from pathlib import Path

from . import fresh, kernels
from .cache import cache_dir, locked, publish, say

TOP = Path(__file__).parents[2]
PACKAGES = "make,gcc-14,libelf1t64,pahole,python3-minimal"
#: Its arguments are the root, the folders that are mounted there, --, and the command, which runs in the first folder.
ENTER = """
root=$0 top=$1
while [ "$1" != -- ]; do mkdir -p "$root$1" && mount --bind "$1" "$root$1" || exit; shift; done; shift
mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" && exec chroot "$root" env -C "$top" "$@"
"""


def root_of(release: str) -> Path:
    """Returns the root of a release with what kbuild needs; makes it if it is missing."""
    root = cache_dir() / f"kbuild-{release}"
    with locked(root.name):
        if not root.exists():
            say(f"installing {release} with its compiler into {root}")
            part = root.with_name(f"{root.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            fresh.install(release, part, PACKAGES)
            publish(part, root)
    return root


def command(flavour: str, tool: str, arguments: list[str]) -> list[str]:
    """Returns the command that runs a tool for a kernel. It keeps make's environment and its jobserver's files."""
    build = kernels.fetch(flavour).build
    if tool == "make":
        words = ["make", "--no-print-directory", "-C", str(build), *arguments]
    elif tool == "objtool":
        words = [str(build / "tools/objtool/objtool"), *arguments]
    else:
        raise ValueError(f"no tool {tool!r}: use make or objtool")
    if flavour not in kernels.NEWER:
        return words
    root = root_of(kernels.NEWER[flavour][1])
    return ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, str(root),
            str(TOP), str(cache_dir()), "--", *words]


def main(arguments: list[str]) -> int:
    """Becomes the tool."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        words = command(arguments[0], arguments[1], arguments[2:])
    except (RuntimeError, ValueError) as error:
        print(f"kbuild: {error}", file=sys.stderr)
        return 1
    os.execvp(words[0], words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
