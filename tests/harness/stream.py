# SPDX-License-Identifier: GPL-2.0
"""One of QEMU's byte streams as lines: a Unix socket that QEMU connects to."""

import select
import socket
from pathlib import Path


class Stream:
    """Listens at a path, accepts one connection, gives lines as they come."""

    def __init__(self, path: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.socket: socket.socket | None = None
        self.closed = False
        self.raw = b""     # what came last, as it came, for interactive use
        self._partial = b""

    def accept(self, timeout: float) -> None:
        """Wait for QEMU to connect."""
        self.listener.settimeout(timeout)
        self.socket, _ = self.listener.accept()
        self.listener.close()

    def fileno(self) -> int:
        """For select()."""
        return self.socket.fileno()

    def read_lines(self, timeout: float) -> list[str]:
        """The whole lines that arrive within a time; returns at the first."""
        self.raw = b""
        if self.closed or not select.select([self.socket], [], [], timeout)[0]:
            return []
        try:
            self.raw = self.socket.recv(65536)
        except ConnectionResetError:
            pass
        self.closed = not self.raw
        *lines, self._partial = (self._partial + self.raw).split(b"\n")
        if self.closed and self._partial:
            lines, self._partial = [*lines, self._partial], b""
        return [line.rstrip(b"\r").decode(errors="replace") for line in lines]

    def send(self, text: str | bytes) -> None:
        """Write to QEMU."""
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def close(self) -> None:
        """Close both ends that may be open."""
        self.listener.close()
        if self.socket:
            self.socket.close()
