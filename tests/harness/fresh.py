# SPDX-License-Identifier: GPL-2.0
"""Makes roots of fresh Debian releases in the cache, and runs README's commands in them.

    python3 -m tests.harness.fresh trixie 'make run BATCH=1'

mmdebstrap makes a release's root: the smallest Debian with apt, plus the packages in PACKAGES. The
commands run in a copy of it, which keeps the packages of `make deps` until deps.sh changes. The tree in
it is a fresh copy of this one, without build/. The commands use the machine's network, /dev and /tmp,
which also holds the slots of the emulators. Mounts and processes have their own namespaces and end
with the command. Needs root.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import archive
from .cache import cache_dir, command, locked, publish, say
from .suites import KEYRING

TOP = Path(__file__).parents[2]
RELEASES = ("bookworm", "trixie")
PACKAGES = "make,python3-minimal,ca-certificates"
TREE = "root/limpet"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: Run in a new root, $1. Later installations there compile no Python files and make no index of manual pages. That
#: takes a quarter of their time, and no command here needs it.
QUICKER = """chroot "$1" dpkg-divert --local --quiet --rename --add /usr/bin/py3compile &&
ln -s /bin/true "$1/usr/bin/py3compile" &&
echo man-db man-db/auto-update boolean false | chroot "$1" debconf-set-selections"""
#: A script that runs a command, its argument $1, in the root $root, in new namespaces.
ENTER = f"""
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" &&
mount --bind /tmp "$root/tmp" && cp -L /etc/resolv.conf "$root/etc/resolv.conf" &&
exec chroot "$root" /usr/bin/env -i HOME=/root PATH={PATH} LANG=C.UTF-8 LIMPET_LONG="$LIMPET_LONG" \\
	sh -c 'cd /{TREE} && eval "$1"' sh "$1"
"""
#: Mounts an overlay in memory over the root first. Its folders are in /mnt of the new mount namespace.
OVER = """
mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work /mnt/root &&
mount -t overlay -o "lowerdir=$0,upperdir=/mnt/upper,workdir=/mnt/work" none /mnt/root || exit
root=/mnt/root
"""


def base(release: str) -> Path:
    """Returns the freshly installed root of a release; makes it if it is missing.

    Raises RuntimeError for a release that is not in RELEASES.
    """
    if release not in RELEASES:
        raise RuntimeError(f"no root of {release}: use one of {', '.join(RELEASES)}")
    root = cache_dir() / f"fresh-{release}"
    if not root.exists():
        say(f"installing {release} into {root}")
        part = root.with_name(f"{root.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        install(release, part, PACKAGES, QUICKER)
        publish(part, root)
    return root


def install(release: str, into: Path, packages: str, hook: str = "true") -> None:
    """Installs the smallest system of a release that has apt and the packages, separated by commas, into a folder.

    `hook` is a shell command, run at the end with the folder as $1.
    """
    archive.first_that_works([archive.bases(release), archive.bases(f"{release}-security")],
                             lambda bases: _install(release, into, packages, hook, bases))


def _install(release: str, into: Path, packages: str, hook: str, bases: tuple[str, ...]) -> None:
    sources = [f"deb [signed-by={KEYRING}] {address} {suite} main"
               for address, suite in zip(bases, (release, f"{release}-security"))]
    settings = into.with_name(f"{into.name}.conf")
    settings.write_text(command("apt-config", "dump", "Acquire"))    # proxies; the release's own apt needs them, too
    command("mmdebstrap", "--variant=apt", f"--include={packages}", f"--keyring={KEYRING}",
            f"--aptopt={settings}", "--dpkgopt=force-unsafe-io", f"--customize-hook={hook}", release, into, *sources)
    settings.unlink()


def root_of(release: str) -> Path:
    """Returns the root for commands, which does not contain the tree; makes it if it is missing."""
    digest = hashlib.sha256((TOP / "tests/harness/deps.sh").read_bytes()).hexdigest()[:8]
    root = cache_dir() / f"fresh-{release}-{digest}"
    if not root.exists() or _interrupted(root):
        pristine = base(release)
        for old in cache_dir().glob(f"fresh-{release}-*"):
            shutil.rmtree(old)
        part = cache_dir() / f"fresh-{release}-{digest}.part"
        command("cp", "-a", pristine, part)
        part.rename(root)
    return root


def stocked(release: str, packages: list[Path], words: str) -> Path:
    """Returns a freshly installed root of a release, with the packages in its folder TREE.

    apt has also downloaded, but not installed, the packages that `apt-get install` with these words would install.
    Raises RuntimeError if it cannot.
    """
    root = cache_dir() / f"stocked-{release}"
    if not root.exists():
        part = root.with_name(f"{root.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        command("cp", "-a", base(release), part)
        part.rename(root)
    shutil.rmtree(root / TREE, ignore_errors=True)
    (root / TREE).mkdir(parents=True)
    for path in packages:
        shutil.copy(path, root / TREE)
    get = f"apt-get update -q && apt-get autoclean -q && apt-get install -qy --download-only {words}"
    status, said = enter(root, get, 1800)
    if status:
        raise RuntimeError(f"apt-get download of {words} ended with {status}:\n{said}")
    return root


def _interrupted(root: Path) -> bool:
    """Returns whether an installation in the root was interrupted. dpkg then refuses further installations."""
    return any((root / "var/lib/dpkg/updates").iterdir())


def copy_tree(root: Path) -> None:
    """Copies the tracked and the new files of this tree into the root, with uncommitted changes."""
    shutil.rmtree(root / TREE, ignore_errors=True)
    (root / TREE).mkdir(parents=True)
    script = ("set -o pipefail; git ls-files -z --cached --others --exclude-standard |"
              ' while IFS= read -rd "" file; do [ ! -e "$file" ] || printf "%s\\0" "$file"; done |'
              ' tar -c --null -T - | tar -x -C "$0"')
    command("bash", "-c", script, root / TREE, cwd=TOP)


def enter(root: Path, words: str, timeout: float, keep: bool = True) -> tuple[int, str]:
    """Runs a shell command in the root's tree, for at most `timeout` seconds.

    Returns its status and its output. The status is 124 or 137 after a timeout. Unless `keep`, its changes of the root
    are in memory and vanish when it ends.
    """
    done = subprocess.run(
        ["timeout", "-k", "5", str(timeout), "unshare", "--mount", "--pid", "--fork", "--kill-child",
         "--propagation", "private", "bash", "-c", f"root=$0{'' if keep else OVER}{ENTER}", str(root), words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={"LIMPET_LONG": "", **os.environ})
    return done.returncode, done.stdout


def main(arguments: list[str]) -> int:
    """Runs a command in a release, with a copy of the current tree."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with locked(f"fresh-{arguments[0]}"):
        root = root_of(arguments[0])
        copy_tree(root)
        status, said = enter(root, arguments[1], 3600)
    print(said, end="")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RuntimeError as error:
        sys.exit(f"no fresh root: {error}")
