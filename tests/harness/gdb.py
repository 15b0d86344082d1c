# SPDX-License-Identifier: GPL-2.0
"""Stops a QEMU guest with one processor at addresses, and reads its registers, through QEMU's gdb server.

    with Gdb(guest) as gdb:
        gdb.stop_at(address)
        gdb.go()                    # until a stop
        gdb.registers()["rip"]
        gdb.step()

The guest is stopped from the start of the block until `go`, and continues after the block. QEMU checks for
interrupts before it executes the next instruction. So an NMI that is sent while the guest is stopped arrives there.
"""

import socket
import struct
import time

#: Registers of QEMU's answer to `g` for x86-64, in this order, and their bytes.
LAYOUT = [(name, 8) for name in "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()] + \
    [(name, 4) for name in "eflags cs ss ds es fs gs".split()] + \
    [(name, 8) for name in "fs_base gs_base k_gs_base cr0 cr2 cr3 cr4 cr8 efer".split()]
FORMAT = "<" + "".join("Q" if size == 8 else "I" for _, size in LAYOUT)


class Gdb:
    """A connection to the gdb server of a guest's QEMU."""

    def __init__(self, guest) -> None:
        self.guest = guest
        self.places: set[int] = set()
        self.runs = False
        self._input = b""

    def __enter__(self) -> "Gdb":
        path = self.guest.folder / "gdb"
        self.guest.monitor.human("stop")        # otherwise QEMU also reports the stop that a connection causes
        answer = self.guest.monitor.human(f"gdbserver unix:{path},server=on,wait=off")
        if "Waiting for gdb" not in answer:
            raise RuntimeError(f"QEMU starts no gdb server: {answer}")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.ask("?")
        return self

    def __exit__(self, *_) -> None:
        if self.runs:
            self.guest.monitor.human("stop")
            self._receive(20)       # QEMU reports this stop
        self.stop_at()
        self.guest.monitor.human("gdbserver none")
        self.socket.close()
        self.guest.monitor.human("cont")

    def ask(self, text: str, timeout: float = 20) -> str:
        """Sends a packet and returns the answer."""
        self._send(text)
        return self._receive(timeout)

    def registers(self) -> dict[str, int]:
        """Returns the registers of the stopped guest by name."""
        data = bytes.fromhex(self.ask("g")[:2 * struct.calcsize(FORMAT)])
        return dict(zip((name for name, _ in LAYOUT), struct.unpack(FORMAT, data), strict=True))

    def words(self, address: int, count: int) -> tuple[int, ...]:
        """Returns 64-bit words at an address of the page table that is loaded."""
        answer = self.ask(f"m{address:x},{8 * count:x}")
        if len(answer) != 16 * count:
            raise RuntimeError(f"no memory at {address:x}: {answer}")
        return struct.unpack(f"<{count}Q", bytes.fromhex(answer))

    def stop_at(self, *addresses: int) -> None:
        """Stops the guest before the instructions at these addresses, and at no others."""
        for address in self.places - set(addresses):
            self._sure(f"z1,{address:x},1")
        for address in set(addresses) - self.places:
            self._sure(f"Z1,{address:x},1")
        self.places = set(addresses)

    def step(self) -> None:
        """Executes one instruction. Interrupts and NMIs wait."""
        self._stopped("s", 20)

    def go(self, timeout: float = 60) -> int:
        """Continues until the next stop, and returns its address. A stop at the current instruction remains, unless
        an interrupt arrives there.
        """
        self._stopped("c", timeout)
        return self.registers()["rip"]

    def _stopped(self, text: str, timeout: float) -> None:
        self.runs = True
        answer = self.ask(text, timeout)
        self.runs = False
        if not answer.startswith("T05"):
            raise RuntimeError(f"QEMU stops for another reason than an address: {answer}")

    def _sure(self, text: str) -> None:
        answer = self.ask(text)
        if answer != "OK":
            raise RuntimeError(f"QEMU's gdb server refuses {text}: {answer}")

    def _send(self, text: str) -> None:
        self.socket.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())

    def _receive(self, timeout: float) -> str:
        """Reads a packet, and the guest's output meanwhile, so that the guest does not wait for a reader."""
        end = time.monotonic() + timeout
        while True:
            start, stop = self._input.find(b"$"), self._input.find(b"#")
            if start >= 0 and len(self._input) >= stop + 3 > start + 3:
                text, self._input = self._input[start + 1:stop], self._input[stop + 3:]
                self.socket.sendall(b"+")
                return text.decode()
            self.socket.settimeout(0.05)
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                self.guest.follow(0)
                if time.monotonic() > end:
                    raise TimeoutError("QEMU's gdb server does not answer") from None
                continue
            if not part:
                raise RuntimeError("QEMU's gdb server has closed the connection")
            self._input += part
