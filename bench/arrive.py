# SPDX-License-Identifier: GPL-2.0
"""What comes in through the guest's network card, when it asks for it: {"send": ADDRESS}."""

from tests.harness.qemu import Guest, Result
from tests.harness.wire import Wire, udp

#: The other end's address; the port; the datagrams, and host seconds between two of them.
SOURCE, PORT, PAYLOAD, PAUSE = "10.3.0.2", 7, 16, 0.003


def follow(guest: Guest, wire: Wire) -> Result:
    """Follows a guest to its end."""
    seen = 0

    def listen() -> bool:
        nonlocal seen
        for record in guest.records[seen:]:
            if "send" in record:
                wire.send(_datagrams(record["send"]), PAUSE)
        seen = len(guest.records)
        return False

    guest.wait(listen)
    return guest.finish()


def _datagrams(address: str):
    """What to send for an address; for none, nothing."""
    if not address:
        return None
    return lambda number: udp(SOURCE, address, PORT, number.to_bytes(PAYLOAD, "little"))
