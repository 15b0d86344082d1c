# SPDX-License-Identifier: GPL-2.0
"""Boots Debian releases with systemd from disks, and runs shell scripts in them.

mmdebstrap makes the root of a release once, with its kernel, its headers and the dependencies of Limpet's packages. A
disk is a copy of it. Each boot starts the newest kernel of the disk, runs one script as the last systemd service, and
powers off. `Disk.change` runs a script in the disk's root without booting it, on the kernel of the build machine: an
emulator is about twenty times slower, so packages that compile a module are installed in this way. The script's folder
contains its files. The guest has no network. Making a root and changing a disk need root rights.
"""

import dataclasses
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from . import fresh
from .cache import cache_dir, command, locked, publish, say
from .kernels import Kernel
from .machine import Machine
from .qemu import Guest, Result

PACKAGES = ("systemd-sysv,udev,dbus,kmod,initramfs-tools,linux-image-amd64,linux-headers-amd64,dkms,adduser,gcc,libc6-dev,"
            "make,binutils,openssl,python3,python3-pyelftools,cyclonedds-dev,busybox-static,musl-tools,zstd")
SIZE = "6G"
#: The device with the archive of the script and its files.
ARCHIVE = "/dev/vdb"
TRIAL = f"""#!/bin/sh
mkdir -p /run/trial && cd /run/trial && tar -xf {ARCHIVE} && sh -ex ./script
echo "{{\\"exit\\": $?}}" >/dev/ttyS1
sync
systemctl poweroff --force
"""
#: Runs ./script in the root of the disk $0, with the files of the archive $1, in namespaces of its own. Background
#: processes of the script end before the disk is unmounted.
CHANGE = f"""
test $$ = 1 || exit    # process 1 of a namespace: kill -1 reaches no other processes of the machine
mount -o loop "$0" /mnt && mount -t proc proc /mnt/proc && mount --rbind /dev /mnt/dev && mount --rbind /sys /mnt/sys &&
mount -t tmpfs none /mnt/run && mkdir /mnt/run/trial && tar -xf "$1" -C /mnt/run/trial || exit
chroot /mnt /usr/bin/env -i HOME=/root PATH={fresh.PATH} LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \\
	sh -c 'cd /run/trial && sh -ex ./script'
status=$?
for try in 1 2 3 4 5; do kill -KILL -1; umount -R /mnt && exit $status; sleep 1; done
exit 1
"""
UNIT = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
Environment=DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8
ExecStart=/usr/local/sbin/trial
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
TimeoutStartSec=infinity
"""


def root_of(release: str) -> Path:
    """Returns the root of a release. Makes it if it is missing."""
    digest = hashlib.sha256(PACKAGES.encode()).hexdigest()[:8]
    root = cache_dir() / f"debian-{release}-{digest}"
    with locked(root.name):
        if not root.exists():
            say(f"installing {release} with its kernel into {root}")
            part = root.with_name(f"{root.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            fresh.install(release, part, PACKAGES)
            publish(part, root)
        _write_trial(root)
    return root


def _write_trial(root: Path) -> None:
    """Writes the service that runs the script, also into a root that an earlier version put into the cache."""
    program, unit = root / "usr/local/sbin/trial", root / "etc/systemd/system/trial.service"
    program.write_text(TRIAL)
    program.chmod(0o755)
    unit.write_text(UNIT)
    # A login prompt on ttyS0 would disconnect the script's terminal.
    for link, target in ((f"multi-user.target.wants/{unit.name}", f"../{unit.name}"),
                         ("serial-getty@ttyS0.service", "/dev/null")):
        path = unit.parent / link
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)
    (root / "etc/fstab").write_text("/dev/vda / ext4 errors=remount-ro 0 1\n")


class Disk:
    """Represents a disk with a copy of a root."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.path, self.folder = folder / "disk", folder
        command("/usr/sbin/mke2fs", "-q", "-t", "ext4", "-d", root, self.path, SIZE)

    def boot(self, name: str, script: str, folders: dict[str, list[Path]], timeout: float = 7200) -> Result:
        """Boots the newest kernel, runs a script and powers off. The log is build/logs/NAME.log.

        `folders` maps each folder next to the script to its files.
        """
        drives = [word for path in (self.path, self._archive(script, folders))
                  for word in ("-drive", f"file={path},format=raw,if=virtio,cache=unsafe")]
        kernel, initrd = self._kernel()
        machine = Machine(kernel, timeout=timeout, memory=2048, append="root=/dev/vda rw", boot=True, watch=False,
                          qemu=tuple(drives))
        with Guest(machine, _Initrd(initrd), name) as guest:
            return guest.finish()

    def change(self, script: str, folders: dict[str, list[Path]], timeout: float = 1800) -> tuple[int, str]:
        """Runs a script in the disk's root without booting it. Returns its status and its output.

        The arguments are those of `boot`. The status is 124 or 137 after a timeout.
        """
        done = subprocess.run(
            ["timeout", "-k", "5", str(timeout), "unshare", "--mount", "--pid", "--fork", "--kill-child",
             "--propagation", "private", "bash", "-c", CHANGE, self.path, self._archive(script, folders)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.returncode, done.stdout

    def _archive(self, script: str, folders: dict[str, list[Path]]) -> Path:
        """Packs a script with its files."""
        parts, archive = self.folder / "parts", self.folder / "archive"
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
        (parts / "script").write_text(script)
        for below, files in folders.items():
            (parts / below).mkdir(exist_ok=True)
            for file in files:
                shutil.copy(file, parts / below)
        command("tar", "-C", parts, "-cf", archive, ".")
        return archive

    def _kernel(self) -> tuple[Kernel, Path]:
        """Copies the newest kernel and its initramfs out of the disk. Returns both."""
        release = re.search(r'vmlinuz-(\S+)"', self._debugfs("stat /vmlinuz"))[1]    # the target of the link
        for name in ("vmlinuz", "initrd.img"):
            self._debugfs(f"dump /boot/{name}-{release} {self.folder / name}")
        missing = Path("/nonexistent")
        return (Kernel("debian", release, self.folder / "vmlinuz", missing, missing, missing, missing),
                self.folder / "initrd.img")

    def _debugfs(self, request: str) -> str:
        return subprocess.run(["/usr/sbin/debugfs", "-R", request, self.path], check=True, text=True,
                              capture_output=True).stdout


@dataclasses.dataclass
class _Initrd:
    """Wraps a release's own initramfs for the harness."""

    path: Path

    def write(self, path: Path, _base=None) -> None:
        """Copies the initramfs."""
        shutil.copy(self.path, path)
