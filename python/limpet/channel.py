# SPDX-License-Identifier: BSD-2-Clause
"""A channel between this process and a component, by its name in the system file.

    with Channel("sensor") as channel:
        channel.send(b"start")
        print(channel.receive(timeout=1.0))

The permissions of /dev/limpet/NAME decide who can open a channel. Errors are exceptions of Python:

    FileNotFoundError   The channel does not exist.
    PermissionError     The user may not open it.
    OSError EBUSY       Another process reads or writes it. Any number of processes can open shared memory.
    OSError ENXIO       Its component does not run yet.
    OSError EMSGSIZE    A message is too long for the channel.
    TimeoutError        No message arrived, or the channel was full, until the time limit.
    BrokenPipeError     The component was stopped, or the system ended. The program can open the channel again.
    RuntimeError        The module speaks another version.
    ValueError          The channel's mode has no shared memory.

After a TimeoutError of send() a channel of bytes can have taken some of the bytes. A message is sent whole or not at all.

Time limits are in seconds. None waits without a limit, 0 does not wait. This module needs only Python's own library.
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
    """Returns the number of a request, as _IO and _IOR of <linux/ioctl.h> do."""
    return (2 << 30 if size else 0) | size << 16 | ord("L") << 8 | number


IOC_INFO = _ioctl(32, _INFO.size)
IOC_EVENT = _ioctl(35)
IOC_EVENTS = _ioctl(36, _U64.size)


class Mode(enum.IntEnum):
    """The content of a channel: messages, a stream of bytes, or shared memory."""

    MESSAGES = 1
    BYTES = 2
    SHARED = 3


class Info(NamedTuple):
    """The properties and the state of a channel."""

    mode: Mode
    to_linux: int       #: bytes of the ring to this process, or of the shared memory; 0 without it
    to_component: int   #: bytes of the ring to the component; 0 without it
    size: int           #: bytes of the whole channel
    stops: int          #: how often the component had been stopped when the channel was opened
    gone: bool          #: the component was stopped, or the system ended, since then


class Channel:
    """An open channel. It is a context manager, and select and asyncio can wait for it."""

    def __init__(self, name: str) -> None:
        """Opens the channel with this name, or with this path if it has a slash."""
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
        """Closes the channel. The component still receives data that were sent."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def fileno(self) -> int:
        """Returns the file descriptor, for select, poll and asyncio. It is -1 after close()."""
        return self._fd

    def info(self) -> Info:
        """Returns the properties and the current state of the channel."""
        raw = fcntl.ioctl(self._fd, IOC_INFO, bytes(_INFO.size))
        version, mode, to_linux, to_component, size, stops, gone = _INFO.unpack(raw)
        if version != VERSION:
            raise RuntimeError(f"channels of version {version}, {VERSION} is known: use the library that "
                               "came with the module")
        return Info(Mode(mode), to_linux, to_component, size, stops, bool(gone))

    # --- messages and bytes

    def send(self, data: bytes, timeout: float | None = None) -> None:
        """Sends a message. In a channel of bytes it sends all of them, in several steps if necessary."""
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
        """Waits for a message and returns it. In a channel of bytes it returns those that have arrived."""
        end = _end(timeout)
        while True:
            try:
                return os.read(self._fd, 1 << 16)
            except BlockingIOError:
                self._wait(select.POLLIN, end)

    # --- shared memory and events

    def memory(self) -> memoryview:
        """Returns the memory of a channel of mode shared. The component can change it at any time."""
        if self._mode is not Mode.SHARED:
            raise ValueError(f"a channel of mode {self._mode.name.lower()} has no shared memory")
        if self._memory is None:
            self._memory = mmap.mmap(self._fd, self.info().size)
        return memoryview(self._memory)[PAGE:]

    def event(self) -> None:
        """Sends an event to the component."""
        fcntl.ioctl(self._fd, IOC_EVENT)

    def events(self) -> int:
        """Returns how many events the component has sent since the last call, or since the channel was opened."""
        return int.from_bytes(fcntl.ioctl(self._fd, IOC_EVENTS, bytes(_U64.size)), "little")

    def wait_events(self, timeout: float | None = None) -> int:
        """Waits until the component has sent an event, and then returns as events() does."""
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
