# SPDX-License-Identifier: GPL-2.0
"""What comes in through the guest's network card, when it asks for it: {"send": ADDRESS}. Each datagram is sent when
the guest has sent back the one before."""

from tests.harness.qemu import Guest, Result
from tests.harness.wire import Wire, udp

#: The other end's address; the port; bytes of the datagrams.
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
    """What to send for an address; for none, nothing."""
    if not address:
        return None
    return lambda number: udp(SOURCE, address, PORT, _payload(number))


def _payload(number: int) -> bytes:
    return number.to_bytes(PAYLOAD, "little")


def _is_echo(number: int, frame: bytes) -> bool:
    return frame.endswith(_payload(number)) and len(frame) == len(udp(SOURCE, SOURCE, PORT, _payload(number)))
