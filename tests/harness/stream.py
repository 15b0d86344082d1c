# SPDX-License-Identifier: GPL-2.0
"""QEMU's byte streams, read as lines."""

import fcntl
import os
import select
import socket
from pathlib import Path

#: What a pipe holds, at the most that Linux lets anybody have.
PIPE_BYTES = 1 << 20


class Stream:
    """Bytes from a file descriptor as lines, when they come."""

    def __init__(self) -> None:
        self.closed = False
        self.raw = b""     # what came last, as it came, for interactive use
        self._partial = b""

    def fileno(self) -> int:
        """For select()."""
        raise NotImplementedError

    def read_lines(self, timeout: float) -> list[str]:
        """The whole lines that arrive within a time; returns at the first."""
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
    """Listens at a path, accepts one connection: QEMU's."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.socket: socket.socket | None = None

    def accept(self, timeout: float) -> None:
        """Wait for QEMU to connect."""
        self.listener.settimeout(timeout)
        self.socket, _ = self.listener.accept()
        self.socket.settimeout(None)
        self.listener.close()

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, text: str) -> None:
        """Write to QEMU."""
        self.socket.sendall(text.encode())

    def close(self) -> None:
        """Close both ends that may be open."""
        self.listener.close()
        if self.socket:
            self.socket.close()


class Pipe(Stream):
    """Two named pipes, path.in and path.out, for a serial port.

    A socket holds a few hundred bytes if they are written one by one, as a serial port does. The port
    would wait for us then; but a guest whose time is that of its instructions waits for nobody: half a
    minute of its time goes by at once, and its driver gives up.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._out = _fifo(f"{path}.out", os.O_RDONLY)
        self._in = _fifo(f"{path}.in", os.O_RDWR)   # does not wait for a reader

    def fileno(self) -> int:
        return self._out

    def send(self, text: str | bytes) -> None:
        """Write to the port."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            select.select([], [self._in], [])
            data = data[os.write(self._in, data):]

    def close(self) -> None:
        """Our ends."""
        os.close(self._out)
        os.close(self._in)


def _fifo(path: str, how: int) -> int:
    os.mkfifo(path)
    end = os.open(path, how | os.O_NONBLOCK)
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return end
