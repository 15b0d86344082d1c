# SPDX-License-Identifier: GPL-2.0
"""Reads QEMU's byte streams as lines."""

import fcntl
import os
import select
import socket
from pathlib import Path

#: Capacity of a pipe, the maximum that Linux permits an unprivileged user.
PIPE_BYTES = 1 << 20


class Stream:
    """Reads lines from a file descriptor as they arrive."""

    def __init__(self) -> None:
        self.closed = False
        self.raw = b""     # the last received bytes, unchanged, for interactive use
        self._partial = b""

    def fileno(self) -> int:
        """Returns the descriptor, for select()."""
        raise NotImplementedError

    def read_lines(self, timeout: float) -> list[str]:
        """Returns the complete lines that arrive within a time. Returns at the first ones."""
        self.raw = b""
        if self.closed or not select.select([self], [], [], timeout)[0]:
            return []
        try:
            self.raw = os.read(self.fileno(), 65536)
        except ConnectionResetError:
            pass
        self.closed = not self.raw
        *lines, self._partial = (self._partial + self.raw).split(b"\n")
        if self.closed and self._partial:
            lines, self._partial = [*lines, self._partial], b""
        return [line.rstrip(b"\r").decode(errors="replace") for line in lines]


class Socket(Stream):
    """A socket that accepts QEMU's connection."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.socket: socket.socket | None = None

    def accept(self, timeout: float) -> None:
        """Waits until QEMU connects."""
        self.listener.settimeout(timeout)
        self.socket, _ = self.listener.accept()
        self.socket.settimeout(None)
        self.listener.close()

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, text: str) -> None:
        """Sends a text to QEMU."""
        self.socket.sendall(text.encode())

    def close(self) -> None:
        """Closes the open sockets."""
        self.listener.close()
        if self.socket:
            self.socket.close()


class Pipe(Stream):
    """Two named pipes, path.in and path.out, for a serial port.

    A socket holds only a few hundred bytes if they are written one by one, as a serial port does. The port would
    then wait. But the time of a counted guest does not stop: half a minute of it would pass immediately, and the
    guest's driver would time out.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._out = _fifo(f"{path}.out", os.O_RDONLY)
        self._in = _fifo(f"{path}.in", os.O_RDWR)   # does not wait for a reader

    def fileno(self) -> int:
        return self._out

    def send(self, text: str | bytes) -> None:
        """Writes to the port."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            select.select([], [self._in], [])
            data = data[os.write(self._in, data):]

    def close(self) -> None:
        """Closes this process's ends."""
        os.close(self._out)
        os.close(self._in)


def _fifo(path: str, how: int) -> int:
    os.mkfifo(path)
    end = os.open(path, how | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return end
