# SPDX-License-Identifier: GPL-2.0
"""Sends datagrams to the guest's network card when the guest asks for them: {"send": ADDRESS}. Each datagram is sent
when the guest has returned the one before.
"""

from tests.harness.qemu import Guest, Result
from tests.harness.wire import Wire, udp

#: The address of the other end, the port, and the bytes of a datagram.
SOURCE, PORT, PAYLOAD = "10.3.0.2", 7, 16


def follow(guest: Guest, wire: Wire) -> Result:
    """Follows a guest to its end."""
    seen = 0

    def listen() -> bool:
        nonlocal seen
        for record in guest.records[seen:]:
            if "send" in record:
                wire.send(_datagrams(record["send"]), _is_echo)
        seen = len(guest.records)
        return False

    guest.wait(listen)
    return guest.finish()


def _datagrams(address: str):
    """Returns the datagrams to send to an address. Returns None for an empty address."""
    if not address:
        return None
    return lambda number: udp(SOURCE, address, PORT, _payload(number))


def _payload(number: int) -> bytes:
    return number.to_bytes(PAYLOAD, "little")


def _is_echo(number: int, frame: bytes) -> bool:
    return frame.endswith(_payload(number)) and len(frame) == len(udp(SOURCE, SOURCE, PORT, _payload(number)))
