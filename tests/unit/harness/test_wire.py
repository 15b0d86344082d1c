# SPDX-License-Identifier: GPL-2.0
"""Tests the other end of a guest's network card, with a socket in place of QEMU."""

import re
import socket
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP))

from tests.harness import wire      # noqa: E402


@pytest.fixture
def ends(monkeypatch):
    """Yields the wire, and the guest's end of it."""
    monkeypatch.setattr(wire, "PATIENCE", 0.2)
    with wire.Wire() as opened, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as guest:
        local, remote = re.search(r"local.path=(\S+?),.*remote.path=(\S+)", opened.qemu[1]).groups()
        guest.bind(local)
        guest.connect(remote)
        guest.settimeout(5)
        yield opened, guest


def numbered(number):
    return b"%d" % number


def answers(number, came):
    return came == b"answer %d" % number


def test_the_next_frame_comes_when_the_last_one_was_answered(ends):
    opened, guest = ends
    opened.send(numbered, answers)
    for number in range(50):
        assert guest.recv(100) == numbered(number)
        guest.send(b"something else")
        guest.send(b"answer %d" % number)
        guest.send(b"answer %d" % number)


def test_what_is_not_answered_comes_again_and_nothing_else(ends):
    opened, guest = ends
    opened.send(numbered, answers)
    assert [guest.recv(100) for _ in range(3)] == [b"0"] * 3


def test_nothing_comes_any_more_when_nothing_is_wanted(ends):
    opened, guest = ends
    opened.send(numbered, answers)
    assert guest.recv(100) == b"0"
    opened.send(None)
    guest.settimeout(0.5)
    with pytest.raises(TimeoutError):
        guest.recv(100)


def test_the_card_gets_frames_at_times_of_the_guest():
    with wire.Wire() as opened:
        words = " ".join(opened.qemu)
    assert f"filter-buffer,id=every,netdev=wire,queue=tx,interval={wire.EVERY_US}" in words
    assert wire.EVERY_US % 2 and wire.EVERY_US % 5, "prime to Linux's tick of 4,000"


def test_a_datagram_has_right_checksums():
    frame = wire.udp("10.3.0.2", "10.3.0.1", 7, b"0123456789abcdef")
    assert len(frame) == 14 + 20 + 8 + 16
    assert wire.checksum(frame[14:34]) == 0
    pseudo = frame[26:34] + b"\x00\x11" + frame[38:40]
    assert wire.checksum(pseudo + frame[34:]) == 0
