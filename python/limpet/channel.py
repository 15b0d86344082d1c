# SPDX-License-Identifier: BSD-2-Clause
"""A channel between this process and a component, by its name in the system file.

    with Channel("sensor") as channel:
        channel.send(b"start")
        print(channel.receive(timeout=1.0))

Access is by the permissions of /dev/limpet/NAME. Errors are OSError's own:

    FileNotFoundError   there is no such channel
    PermissionError     not permitted
    OSError EBUSY       another process reads or writes it
    OSError ENXIO       its component has not been made yet
    OSError EMSGSIZE    a message is too long for the channel
    TimeoutError        nothing came, or no room, in time
    BrokenPipeError     the component was stopped, or the system ended: open it again

Besides: RuntimeError: the module speaks another version; ValueError: the channel's mode has no shared memory. After
a TimeoutError of send() some of the bytes may have gone; a message goes whole or not at all.

Time limits are in seconds: None waits for ever, 0 does not wait. Uses nothing but Python's own library.
"""

from __future__ import annotations

import enum
import fcntl
import mmap
import os
import select
import struct
import time
from types import TracebackType
from typing import NamedTuple

NODES = "/dev/limpet/"
VERSION = 4
PAGE = 4096

_INFO = struct.Struct("<IIIIQII")
_U64 = struct.Struct("<Q")


def _ioctl(number: int, size: int = 0) -> int:
    """As _IO and _IOR of <linux/ioctl.h>."""
    return (2 << 30 if size else 0) | size << 16 | ord("L") << 8 | number


IOC_INFO = _ioctl(32, _INFO.size)
IOC_EVENT = _ioctl(35)
IOC_EVENTS = _ioctl(36, _U64.size)


class Mode(enum.IntEnum):
    """What a channel carries."""

    MESSAGES = 1
    BYTES = 2
    SHARED = 3


class Info(NamedTuple):
    """What is known of a channel."""

    mode: Mode
    to_linux: int       #: bytes of the ring to this process; shared: of the memory; 0: none
    to_component: int   #: bytes of the ring to the component; 0: none
    size: int           #: bytes of all of it
    stops: int          #: times that the component had been stopped at open
    gone: bool          #: it was stopped, or the system ended, since this was opened


class Channel:
    """An open channel; a context manager, and something that select and asyncio can wait for."""

    def __init__(self, name: str) -> None:
        path = name if "/" in name else NODES + name
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._memory: mmap.mmap | None = None
        try:
            self._mode = self.info().mode
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """What was sent stays there for the component."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def fileno(self) -> int:
        """For select, poll and asyncio."""
        return self._fd

    def info(self) -> Info:
        """What is known of it now."""
        raw = fcntl.ioctl(self._fd, IOC_INFO, bytes(_INFO.size))
        version, mode, to_linux, to_component, size, stops, gone = _INFO.unpack(raw)
        if version != VERSION:
            raise RuntimeError(f"channels of version {version}, {VERSION} is known: use the library that "
                               "came with the module")
        return Info(Mode(mode), to_linux, to_component, size, stops, bool(gone))

    # --- messages and bytes

    def send(self, data: bytes, timeout: float | None = None) -> None:
        """Put a message in; of bytes all of them, in as many steps as it takes."""
        end = _end(timeout)
        rest = memoryview(data)
        while True:
            try:
                done = os.write(self._fd, rest)
                rest = rest[done:]
                if not rest:
                    return
            except BlockingIOError:
                self._wait(select.POLLOUT, end)

    def receive(self, timeout: float | None = None) -> bytes:
        """Take a message out; of bytes what there is."""
        end = _end(timeout)
        while True:
            try:
                return os.read(self._fd, 1 << 16)
            except BlockingIOError:
                self._wait(select.POLLIN, end)

    # --- shared memory and events

    def memory(self) -> memoryview:
        """The memory of a channel of mode shared; the component may write it at any time, too."""
        if self._mode is not Mode.SHARED:
            raise ValueError(f"a channel of mode {self._mode.name.lower()} has no shared memory")
        if self._memory is None:
            self._memory = mmap.mmap(self._fd, self.info().size)
        return memoryview(self._memory)[PAGE:]

    def event(self) -> None:
        """One more event for the component."""
        fcntl.ioctl(self._fd, IOC_EVENT)

    def events(self) -> int:
        """How many events came from the component since the last call, or since open."""
        return _U64.unpack(fcntl.ioctl(self._fd, IOC_EVENTS, bytes(_U64.size)))[0]

    def wait_events(self, timeout: float | None = None) -> int:
        """The same, once there is at least one."""
        end = _end(timeout)
        while not (count := self.events()):
            self._wait(select.POLLPRI, end)
        return count

    def _wait(self, what: int, end: float | None) -> None:
        poll = select.poll()
        poll.register(self._fd, what)
        left = None if end is None else max(0.0, end - time.monotonic()) * 1000
        ready = poll.poll(left)
        if not ready:
            raise TimeoutError("no answer of the component in time")
        if what == select.POLLPRI and ready[0][1] & select.POLLHUP:
            raise BrokenPipeError("the component was stopped, or the system ended")


def _end(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout
