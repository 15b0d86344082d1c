# SPDX-License-Identifier: GPL-2.0
"""Saves the state of a guest after /init has set up the machine. Later guests continue from it instead of booting.

A state belongs to one kernel, number of processors, memory size, QEMU and guest part of the harness. Its key contains
all of these, so a state that does not fit is not found, and a new one is made. A state consists of two files: the
guest's RAM and the state of the devices. QEMU maps the RAM copy-on-write, so that any number of guests share it. A
test's files arrive through QEMU's fw_cfg. guest/fetch.c receives them, and /init unpacks them.
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

#: Minimum of free bytes for the use of a RAM file system, both in the file system and in memory.
SPACE_MIN = 4 << 30
#: Seconds after which an unused state is removed, and the maximum number of states.
STALE, KEPT = 12 * 3600, 32
#: Bytes of a state's RAM file above which it is trimmed. A guest that has only booted uses less.
LARGE = 320 << 20
#: Maximum seconds in which QEMU must load or save a state.
PATIENCE = 60
#: The device with which guest/fetch.c stops the guest for saving. A restored machine does not have it.
STOP = ("-device", "pvpanic", "-action", "panic=pause")
#: Linux's messages if this machine was too busy for Linux to calibrate its clocks. In a guest that boots, the error
#: lasts until the guest ends. In a saved state, all later guests would have it.
BAD_CLOCK = re.compile(r"calibration deviates|[Uu]nable to calibrate|calibration not consistent|APIC frequency too slow|"
                       r"failed to get a good estimate|TSC (found )?unstable|as unstable because|Long readout interval|"
                       r"IO-APIC \+ timer doesn't work")
IGNORE_SHARED = [{"capability": "x-ignore-shared", "state": True}]


def usable(machine: Machine) -> bool:
    """Returns whether a machine may start from a saved state.

    A machine with its own arguments for QEMU or the kernel boots. LIMPET_BOOT and accelerators other than TCG also
    cause a boot.
    """
    plain = Machine()
    free = {name: getattr(plain, name) for name in ("kernel", "cpus", "counted", "timeout", "watch", "newer_qemu", "loader")}
    return (dataclasses.replace(machine, **free) == plain and accelerator() == "tcg"
            and not os.environ.get("LIMPET_BOOT"))


@functools.cache
def base() -> Initramfs:
    """Returns the initramfs that saved guests boot with."""
    root = Initramfs()
    root.data("/limpet/fetch", built("fetch.c", "musl-gcc", "-Os", "-Wall", "-Wextra", "-Werror"), 0o755)
    return root


@dataclasses.dataclass
class State:
    """A saved state: a folder with the files `ram` and `devices`."""

    folder: Path

    def words(self, machine: Machine, share: bool) -> tuple:
        """Returns QEMU's arguments for the memory: shared with the file, or copied on write."""
        return ("-object", f"memory-backend-file,id=ram,size={machine.memory}M,mem-path={self.folder / 'ram'},"
                           f"share={'on' if share else 'off'}", "-machine", "pc,memory-backend=ram")

    def restore_words(self, machine: Machine, root: Path) -> tuple:
        """Returns QEMU's arguments for a guest that continues from the state and receives the archive `root`."""
        return (*self.words(machine, share=False), "-fw_cfg", f"name=opt/limpet/root,file={root}",
                "-incoming", "defer")

    def complete(self) -> bool:
        """Returns whether the state has been saved."""
        return (self.folder / "devices").exists()

    def save(self, monitor: Monitor) -> None:
        """Saves the devices' state of a guest that has stopped itself; raises RuntimeError if QEMU refuses."""
        monitor.execute("migrate-set-capabilities", capabilities=IGNORE_SHARED)
        monitor.execute("migrate", uri=f"exec:cat >'{self.folder / 'devices.part'}'")
        _wait(lambda: monitor.execute("query-migrate").get("status") in ("completed", "failed"))
        told = monitor.execute("query-migrate")
        if told["status"] == "failed":
            raise RuntimeError(f"QEMU does not save the state: {told.get('error-desc', 'no reason given')}")

    def publish(self) -> None:
        """Marks the state as complete. QEMU must have ended."""
        self.trim()
        (self.folder / "devices.part").rename(self.folder / "devices")

    def trim(self) -> None:
        """Releases pages of the RAM file that hold zeros.

        The boot has freed some of them. In a RAM file system a hole also becomes such a page when a guest reads it.
        """
        command("fallocate", "--dig-holes", self.folder / "ram")

    def large(self) -> bool:
        """Returns whether the RAM file is so large that it must be trimmed again."""
        return (self.folder / "ram").stat().st_blocks * 512 > LARGE

    def restore(self, monitor: Monitor) -> None:
        """Loads the state into a guest that waits for it, and lets the guest continue."""
        monitor.execute("migrate-set-capabilities", capabilities=IGNORE_SHARED)
        monitor.execute("migrate-incoming", uri=f"exec:cat '{self.folder / 'devices'}'")
        _wait(lambda: monitor.execute("query-status")["status"] != "inmigrate")
        monitor.execute("cont")


def _wait(until: Callable[[], bool]) -> None:
    """Waits until a condition holds; raises RuntimeError after PATIENCE seconds. QEMU usually needs less than one."""
    end = time.monotonic() + PATIENCE
    while not until():
        if time.monotonic() > end:
            raise RuntimeError(f"QEMU has not loaded or saved a state within {PATIENCE} s")
        time.sleep(0.01)


def is_fit(lines: list[str]) -> bool:
    """Returns whether a guest with these console lines may be saved."""
    return not any(BAD_CLOCK.search(line) for line in lines)


@contextlib.contextmanager
def held(machine: Machine, kernel: Kernel, make: Callable[[State], bool]) -> Iterator[State | None]:
    """Yields the state of a machine, which is not removed meanwhile. Calls `make` if the state does not exist.

    Yields None if `make` returns False, which means that the guest is not fit to be saved.
    """
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
    """Locks the state, shared if it is complete, else exclusively. Returns the handle of the lock.

    Users must not wait for the exclusive lock, because the maker of the state keeps a shared lock while its guest runs.
    """
    while True:
        handle = lock.enter_context(_locked(state.folder, fcntl.LOCK_SH))
        if state.complete():
            return handle
        lock.close()
        with contextlib.suppress(BlockingIOError):
            return lock.enter_context(_locked(state.folder, fcntl.LOCK_EX | fcntl.LOCK_NB))
        time.sleep(random.uniform(0.01, 0.1))    # a random time, because other users retry, too


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
    """Returns the folder of all states, in a RAM file system if that has enough space."""
    shm = Path("/dev/shm")
    if shm.is_dir() and shutil.disk_usage(shm).free >= SPACE_MIN and _memory_available() >= SPACE_MIN:
        return shm / f"limpet-states-{os.getuid()}"
    return cache_dir() / "states"


def _memory_available() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def _key(machine: Machine, kernel: Kernel) -> str:
    """Returns the name of a state. The name depends on all properties that the state depends on."""
    program = Path(shutil.which(machine.program()[0]) or machine.program()[0]).stat()
    parts = hashlib.sha256(kernel.vmlinuz.read_bytes())
    parts.update(base().archive())
    # A crash of the build machine can leave a torn file, so a state is valid only until the machine boots again.
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    parts.update(repr((machine.program(), program.st_size, program.st_mtime_ns, machine.hardware(),
                       machine.command_line(), STOP, boot)).encode())
    counted = "-counted" if machine.counted else ""
    newer = "-newer" if machine.newer_qemu else ""
    return f"{kernel.flavour}-{machine.cpus}cpu{counted}{newer}-{parts.hexdigest()[:16]}"


@contextlib.contextmanager
def _locked(folder: Path, how: int) -> Iterator[int]:
    """Holds a lock of a folder. Makes the folder if it is missing, or if it was removed while this process waited."""
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
    """Removes unused states: those older than STALE seconds, and the least recently used above KEPT."""
    used = {}
    for folder in place.iterdir():
        with contextlib.suppress(FileNotFoundError):
            used[folder] = folder.stat().st_mtime
    for number, folder in enumerate(sorted(used, key=used.get, reverse=True)):
        if number >= KEPT or used[folder] < time.time() - STALE:
            with contextlib.suppress(BlockingIOError), _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                say(f"removing the saved state {folder.name}")
                shutil.rmtree(folder)
