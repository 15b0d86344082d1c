# SPDX-License-Identifier: GPL-2.0
"""The other end of a guest's network card. It sends and receives Ethernet frames, without a network of this machine."""

import contextlib
import socket
import struct
import tempfile
import threading
import time
from pathlib import Path

#: Addresses of the guest's card, and of the simulated sender.
GUEST, OTHER = bytes.fromhex("525400000001"), bytes.fromhex("525400000002")


#: Frames reach the card when the guest's own time is a multiple of this number of microseconds, independent of the :
#: delay in this machine, and not sooner after an answer. It is prime to the 4,000 of Linux's tick, so that frames :
#: arrive at all of its phases.
EVERY_US = 2477

#: Seconds of this machine after which a frame without an answer is sent again.
PATIENCE = 1.0


class Wire:
    """A card for the guest (`qemu`: QEMU's arguments for it), and the frames that it sends. A context manager."""

    def __enter__(self) -> "Wire":
        self._folder = tempfile.TemporaryDirectory(prefix="limpet-wire-")
        folder = Path(self._folder.name)
        self._guest, ours = str(folder / "guest"), str(folder / "other")
        self.qemu = ("-netdev", f"dgram,id=wire,local.type=unix,local.path={self._guest},"
                                f"remote.type=unix,remote.path={ours}",
                     "-device", f"virtio-net-pci,netdev=wire,mac={GUEST.hex(':')},romfile=",
                     "-object", f"filter-buffer,id=every,netdev=wire,queue=tx,interval={EVERY_US}")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(ours)
        self._socket.settimeout(0.01)
        self._over = threading.Event()
        self._talk, self._number = None, 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()
        self._socket.close()
        self._folder.cleanup()

    def send(self, frame, is_answer=None) -> None:
        """Sends frame(0), frame(1), and so on, one at a time. Sends the next frame when is_answer(number, frame) is
        true for an answer to the last one. Stops sending if `frame` is None.
        """
        self._number, self._talk = 0, (frame, is_answer) if frame else None

    def _run(self) -> None:
        while not self._over.is_set():
            talk, number = self._talk, self._number
            if not talk:
                self._receive()
                continue
            frame, is_answer = talk
            # No guest runs, or it cannot receive more.
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError, TimeoutError):
                self._socket.sendto(frame(number), self._guest)
            if self._heard(talk, number, is_answer):
                self._number = number + 1

    def _heard(self, talk, number: int, is_answer) -> bool:
        """Waits for the answer. Returns False if it did not arrive in time, or is not wanted any more."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._talk is talk and not self._over.is_set():
            came = self._receive()
            if came and is_answer(number, came):
                return self._talk is talk
        return False

    def _receive(self) -> bytes:
        """Returns a frame from the guest, or an empty one if no frame arrives for a moment."""
        try:
            return self._socket.recv(65536)
        except TimeoutError:
            return b""


def udp(source: str, to: str, port: int, payload: bytes) -> bytes:
    """Returns a frame for the guest's card, with one UDP datagram."""
    length = 8 + len(payload)
    addresses = socket.inet_aton(source) + socket.inet_aton(to)
    datagram = struct.pack(">HHHH", port, port, length, 0) + payload
    pseudo = addresses + struct.pack(">HH", socket.IPPROTO_UDP, length)
    datagram = datagram[:6] + struct.pack(">H", checksum(pseudo + datagram) or 0xffff) + datagram[8:]
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_UDP, 0) + addresses
    header = header[:10] + struct.pack(">H", checksum(header)) + header[12:]
    return GUEST + OTHER + b"\x08\x00" + header + datagram


def checksum(data: bytes) -> int:
    """Returns the Internet checksum."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
