# SPDX-License-Identifier: GPL-2.0
"""The other end of a guest's network card: Ethernet frames, without any network of this machine."""

import socket
import struct
import tempfile
import threading
import time
from pathlib import Path

#: Of the guest's card, and of who is said to be at the other end.
GUEST, OTHER = bytes.fromhex("525400000001"), bytes.fromhex("525400000002")


class Wire:
    """A card for the guest (`qemu`: QEMU's words for it), and what comes out of it; a context manager."""

    def __enter__(self) -> "Wire":
        self._folder = tempfile.TemporaryDirectory(prefix="limpet-wire-")
        folder = Path(self._folder.name)
        self._guest, ours = str(folder / "guest"), str(folder / "other")
        self.qemu = ("-netdev", f"dgram,id=wire,local.type=unix,local.path={self._guest},"
                                f"remote.type=unix,remote.path={ours}",
                     "-device", f"virtio-net-pci,netdev=wire,mac={GUEST.hex(':')},romfile=")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(ours)
        self._socket.setblocking(False)
        self._over = threading.Event()
        self._frames, self._pause, self._number = None, 0.0, 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()
        self._socket.close()
        self._folder.cleanup()

    def send(self, frame, pause: float) -> None:
        """From now on sends frame(0), frame(1), ..., with pauses of so many seconds; None: nothing."""
        self._number, self._pause, self._frames = 0, pause, frame

    def _run(self) -> None:
        while not self._over.wait(self._pause if self._frames else 0.01):
            self._drain()
            frame = self._frames
            if frame:
                try:
                    self._socket.sendto(frame(self._number), self._guest)
                    self._number += 1
                except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
                    time.sleep(0.01)    # no guest yet, or none any more, or it cannot take more

    def _drain(self) -> None:
        try:
            while self._socket.recv(65536):
                pass
        except BlockingIOError:
            pass


def udp(source: str, to: str, port: int, payload: bytes) -> bytes:
    """A frame for the guest's card: one UDP datagram."""
    length = 8 + len(payload)
    addresses = socket.inet_aton(source) + socket.inet_aton(to)
    datagram = struct.pack(">HHHH", port, port, length, 0) + payload
    pseudo = addresses + struct.pack(">HH", socket.IPPROTO_UDP, length)
    datagram = datagram[:6] + struct.pack(">H", checksum(pseudo + datagram) or 0xffff) + datagram[8:]
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_UDP, 0) + addresses
    header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
    return GUEST + OTHER + b"\x08\x00" + header + datagram


def checksum(data: bytes) -> int:
    """The Internet's."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
