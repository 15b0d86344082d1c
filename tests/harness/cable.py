# SPDX-License-Identifier: GPL-2.0
"""A second machine at the other end of a property's network cable, for its drive.py.

The property has `cable = true`. Both machines count instructions. They do not skip idle time, unless the property is
`counted`: then the near one does, so that its timers are never late. Each has its own time, so the machine that is ahead
is paused until the other has caught up. A slow build machine then slows both machines, and neither waits longer for the
other in its own time. lib/cable.sh starts the ticks by which the times are compared.
"""

import contextlib
import time
from pathlib import Path

from .initramfs import Initramfs
from .machine import Machine, cable_end
from .qemu import Guest

#: The maximum difference of the two times, in ticks of 100 ms.
LEAD = 3
MODULES = ("virtio_pci", "virtio_net")


class FarGuest(Guest):
    """A guest that shares the slot of the guest at the near end."""

    def _slot(self) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()


class Pair:
    """A guest and the machine at the other end of its cable, which can be replaced."""

    def __init__(self, near: Guest, files: dict[str, Path], script: str) -> None:
        """`files` maps paths in the far guest to files of the build machine. The far guest runs `script`."""
        self.near, self.far = near, None
        self._held: Guest | None = None
        self._offset = self._boots = 0
        self._root = Initramfs()
        for path, host in files.items():
            self._root.file(host, path)
        self._root.modules(near.kernel, MODULES)
        self._root.text("/limpet/run.sh", script)
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "Pair":
        self.boot()
        return self

    def __exit__(self, *_) -> None:
        self._power_off()

    def _power_off(self) -> None:
        """Ends the far machine, and lets the near one run."""
        self._open.close()
        if self._held is self.far:
            self._held = None
        self._hold(None)

    def boot(self) -> None:
        """Boots the far machine. Its predecessor, if any, loses its power first."""
        self._power_off()
        socket = self.near.folder / "far"
        socket.unlink(missing_ok=True)
        machine = Machine(kernel=self.near.kernel, paced=True, timeout=self.near.machine.timeout,
                          qemu=tuple(cable_end(socket, self.near.folder / "cable", 2)))
        self._boots += 1
        self.far = self._open.enter_context(FarGuest(machine, self._root, f"{self.near.name}-far-{self._boots}"))
        self._offset = 0

    def wait_record(self, key: str, value) -> None:
        """Follows both machines until the near guest has written a verdict record.

        Raises RuntimeError if a machine ends before, or has trouble.
        """
        while not any(record.get(key) == value for record in self.near.records):
            for guest in (self.near, self.far):
                guest.follow(0.02)
                if guest.over() or guest.trouble or time.monotonic() > self.near.deadline:
                    raise RuntimeError(f"{guest.name} ended before {key} {value}: {guest.trouble or guest.lines[-20:]}")
            self._pace()

    def _pace(self) -> None:
        near, far = (sum("tick" in record for record in guest.records) for guest in (self.near, self.far))
        if not far:
            self._offset = near
            return
        ahead = near - self._offset - far
        self._hold(self.near if ahead > LEAD else self.far if ahead < -LEAD else None)

    def _hold(self, guest: Guest | None) -> None:
        """Pauses this guest alone."""
        if guest is self._held:
            return
        if self._held:
            self._held.monitor.execute("cont")
        if guest:
            guest.monitor.execute("stop")
        self._held = guest
