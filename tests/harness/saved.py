# SPDX-License-Identifier: GPL-2.0
"""Saved states: guests that continue where /init had set up the machine, instead of booting.

A state belongs to one kernel, number of processors, memory, QEMU and guest part of the harness: all of that is in
its key, so a state that does not fit is never found, and another one is made. It is two files: the guest's RAM,
which QEMU maps copy-on-write, so that any number of guests share it, and the state of the devices. The files that
a test brings arrive through QEMU's fw_cfg and are unpacked by guest/fetch.c and /init.
"""

import contextlib
import dataclasses
import fcntl
import functools
import hashlib
import os
import random
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .cache import cache_dir, command, say
from .initramfs import Initramfs, built
from .kernels import Kernel
from .machine import Machine, accelerator
from .monitor import Monitor

#: A RAM file system is used while it has so many bytes left, and as many again are free memory.
ROOM = 4 << 30
#: Seconds after which a state that nobody used is removed, and how many are kept at most.
STALE, KEPT = 12 * 3600, 32
#: Bytes of RAM that are much for a guest that has only booted.
LARGE = 320 << 20
#: Seconds for QEMU to load or to save a state.
PATIENCE = 60
#: Where the guest stops for its state to be saved: guest/fetch.c. A restored machine does not have the device.
STOP = ("-device", "pvpanic", "-action", "panic=pause")
#: What Linux says when this machine was too busy for it to find out how fast its clocks are. A guest that boots has
#: to live with that, until it ends; a state would hand it on.
BAD_CLOCK = re.compile(r"calibration deviates|[Uu]nable to calibrate|calibration not consistent|APIC frequency too slow|"
                       r"failed to get a good estimate|TSC (found )?unstable|as unstable because|Long readout interval")
IGNORE_SHARED = [{"capability": "x-ignore-shared", "state": True}]


def usable(machine: Machine) -> bool:
    """Whether a machine may start from a saved state: one with words of its own for QEMU or the kernel boots."""
    plain = Machine()
    free = {name: getattr(plain, name) for name in ("kernel", "cpus", "counted", "timeout", "watch", "newer_qemu", "loader")}
    return (dataclasses.replace(machine, **free) == plain and accelerator() == "tcg"
            and not os.environ.get("LIMPET_BOOT"))


@functools.cache
def base() -> Initramfs:
    """What a saved guest has booted with."""
    root = Initramfs()
    root.data("/limpet/fetch", built("fetch.c", "musl-gcc", "-Os", "-Wall", "-Wextra", "-Werror"), 0o755)
    return root


@dataclasses.dataclass
class State:
    """A state in a folder: ram and devices."""

    folder: Path

    def words(self, machine: Machine, share: bool) -> tuple:
        """QEMU's words for the memory: shared with the file, or copied when it is written."""
        return ("-object", f"memory-backend-file,id=ram,size={machine.memory}M,mem-path={self.folder / 'ram'},"
                           f"share={'on' if share else 'off'}", "-machine", "pc,memory-backend=ram")

    def restore_words(self, machine: Machine, root: Path) -> tuple:
        """QEMU's words for a guest that continues and gets the files of an archive."""
        return (*self.words(machine, share=False), "-fw_cfg", f"name=opt/limpet/root,file={root}",
                "-incoming", "defer")

    def complete(self) -> bool:
        """Whether the state has been saved."""
        return (self.folder / "devices").exists()

    def save(self, monitor: Monitor) -> None:
        """Save the devices' state of a guest that has stopped itself."""
        monitor.execute("migrate-set-capabilities", capabilities=IGNORE_SHARED)
        monitor.execute("migrate", uri=f"exec:cat >'{self.folder / 'devices.part'}'")
        _wait(lambda: monitor.execute("query-migrate").get("status") in ("completed", "failed"))
        told = monitor.execute("query-migrate")
        if told["status"] == "failed":
            raise RuntimeError(f"QEMU does not save the state: {told.get('error-desc', 'no reason given')}")

    def publish(self) -> None:
        """The state is complete, and QEMU has ended."""
        self.trim()
        (self.folder / "devices.part").rename(self.folder / "devices")

    def trim(self) -> None:
        """Give back pages that hold zeros: what the boot has freed, and, in a RAM file system, what was a hole
        until some guest looked there."""
        command("fallocate", "--dig-holes", self.folder / "ram")

    def large(self) -> bool:
        """Whether it is time for that again."""
        return (self.folder / "ram").stat().st_blocks * 512 > LARGE

    def restore(self, monitor: Monitor) -> None:
        """Load the state into a guest that waits for it, and let it continue."""
        monitor.execute("migrate-set-capabilities", capabilities=IGNORE_SHARED)
        monitor.execute("migrate-incoming", uri=f"exec:cat '{self.folder / 'devices'}'")
        _wait(lambda: monitor.execute("query-status")["status"] != "inmigrate")
        monitor.execute("cont")


def _wait(until: Callable[[], bool]) -> None:
    """QEMU does it in less than a second; the machine may be loaded."""
    end = time.monotonic() + PATIENCE
    while not until():
        if time.monotonic() > end:
            raise RuntimeError(f"QEMU has not loaded or saved a state within {PATIENCE} s")
        time.sleep(0.01)


def is_fit(lines: list[str]) -> bool:
    """Whether a guest whose console said that may be saved."""
    return not any(BAD_CLOCK.search(line) for line in lines)


@contextlib.contextmanager
def held(machine: Machine, kernel: Kernel, make: Callable[[State], bool]) -> Iterator[State | None]:
    """The state of a machine, made if there is none; it is not removed meanwhile. None: there is still none, because
    `make` says that what it made is not fit."""
    state = State(_place() / _key(machine, kernel))
    with contextlib.ExitStack() as lock:
        handle = _use_or_make(state, lock)
        if state.complete():
            if state.large():
                state.trim()
        elif not _make(state, make):
            lock.close()
            yield None
            return
        os.utime(handle)
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield state


def _use_or_make(state: State, lock: contextlib.ExitStack) -> int:
    """Locks the state: shared if it is complete, else exclusively. Users never wait for the exclusive lock: the one who
    makes the state holds it shared afterwards for as long as its guest runs."""
    while True:
        handle = lock.enter_context(_locked(state.folder, fcntl.LOCK_SH))
        if state.complete():
            return handle
        lock.close()
        with contextlib.suppress(BlockingIOError):
            return lock.enter_context(_locked(state.folder, fcntl.LOCK_EX | fcntl.LOCK_NB))
        time.sleep(random.uniform(0.01, 0.1))    # others look at the same time


def _make(state: State, make: Callable[[State], bool]) -> bool:
    _sweep(state.folder.parent)
    say(f"saving a state, {state.folder.name}: one boot, later guests begin there")
    try:
        if make(state):
            state.publish()
        return state.complete()
    finally:
        if not state.complete():
            shutil.rmtree(state.folder)


def _place() -> Path:
    """The folder of all states: in a RAM file system if it has room."""
    shm = Path("/dev/shm")
    if shm.is_dir() and shutil.disk_usage(shm).free >= ROOM and _memory_available() >= ROOM:
        return shm / f"limpet-states-{os.getuid()}"
    return cache_dir() / "states"


def _memory_available() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def _key(machine: Machine, kernel: Kernel) -> str:
    """A name that changes with all that the state depends on."""
    program = Path(shutil.which(machine.program()[0]) or machine.program()[0]).stat()
    parts = hashlib.sha256(kernel.vmlinuz.read_bytes())
    parts.update(base().archive())
    # A disk may keep a torn file when the machine dies, so no state outlives a boot of the build machine.
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    parts.update(repr((machine.program(), program.st_size, program.st_mtime_ns, machine.hardware(),
                       machine.command_line(), STOP, boot)).encode())
    counted = "-counted" if machine.counted else ""
    newer = "-newer" if machine.newer_qemu else ""
    return f"{kernel.flavour}-{machine.cpus}cpu{counted}{newer}-{parts.hexdigest()[:16]}"


@contextlib.contextmanager
def _locked(folder: Path, how: int) -> Iterator[int]:
    """Hold a lock of a folder itself, which is made if it is missing, also if it was removed meanwhile."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError), _opened(folder) as handle:
            fcntl.flock(handle, how)
            if os.fstat(handle).st_nlink:
                yield handle
                return


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def _sweep(place: Path) -> None:
    """Remove states that are not used any more: old ones, and all above the number that is kept."""
    used = {}
    for folder in place.iterdir():
        with contextlib.suppress(FileNotFoundError):
            used[folder] = folder.stat().st_mtime
    for number, folder in enumerate(sorted(used, key=used.get, reverse=True)):
        if number >= KEPT or used[folder] < time.time() - STALE:
            with contextlib.suppress(BlockingIOError), _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                say(f"removing the saved state {folder.name}")
                shutil.rmtree(folder)
