# SPDX-License-Identifier: GPL-2.0
"""Tests the Python binding with a pair of sockets in place of a node. The sockets also keep messages apart."""

import fcntl
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP / "python"))

from limpet import Channel, Mode, channel        # noqa: E402


class Node:
    """Simulates the device /dev/limpet/NAME."""

    def __init__(self, mode, kind):
        self.ours, self.peer = socket.socketpair(socket.AF_UNIX, kind)
        self.info = [channel.VERSION, mode, 4096, 4096, 12288, 3, 0]
        self.events, self.sent = 0, 0

    def open(self, path, flags):
        assert path == "/dev/limpet/it" and flags & os.O_RDWR and flags & os.O_NONBLOCK
        fd = os.dup(self.ours.fileno())
        os.set_blocking(fd, False)
        return fd

    def ioctl(self, _fd, number, _argument=b""):
        if number == channel.IOC_INFO:
            return channel._INFO.pack(*self.info)
        if number == channel.IOC_EVENTS:
            self.events, count = 0, self.events
            return channel._U64.pack(count)
        assert number == channel.IOC_EVENT
        self.sent += 1


@pytest.fixture(name="node")
def fake_node(request, monkeypatch):
    """Makes a node of mode messages, or of the mode that the test sets."""
    node = Node(*getattr(request, "param", (1, socket.SOCK_SEQPACKET)))
    monkeypatch.setattr(os, "open", node.open)
    monkeypatch.setattr(fcntl, "ioctl", node.ioctl)
    return node


def test_messages(node):
    with Channel("it") as it:
        it.send(b"one")
        it.send(b"two")
        assert [node.peer.recv(9), node.peer.recv(9)] == [b"one", b"two"]
        node.peer.send(b"back")
        assert it.receive() == b"back"
        assert it.info() == (Mode.MESSAGES, 4096, 4096, 12288, 3, False)
    assert it.fileno() == -1


def test_time_limits(node):
    with Channel("it") as it:
        for timeout in (0, 0.01):
            with pytest.raises(TimeoutError):
                it.receive(timeout)
        later = threading.Timer(0.05, lambda: node.peer.send(b"late"))
        later.start()
        assert it.receive(5) == b"late"
        with pytest.raises(TimeoutError):
            while True:
                it.send(bytes(1000), 0.01)


@pytest.mark.parametrize("node", [(2, socket.SOCK_STREAM)], indirect=True)
def test_all_bytes_are_sent(node):
    got = bytearray()
    data = os.urandom(1 << 20)

    def take():
        while len(got) < len(data):
            got.extend(node.peer.recv(4096))

    taker = threading.Thread(target=take)
    taker.start()
    with Channel("it") as it:
        it.send(data, 20)
    taker.join()
    assert got == data


def test_who_is_gone(node):
    with Channel("it") as it:
        node.peer.close()
        with pytest.raises(BrokenPipeError):
            it.send(b"x")


@pytest.mark.parametrize("node", [(3, socket.SOCK_SEQPACKET)], indirect=True)
def test_events(node):
    with Channel("it") as it:
        assert it.events() == 0
        node.events = 5
        assert it.wait_events() == 5
        with pytest.raises(TimeoutError):
            it.wait_events(0.01)
        it.event()
        assert node.sent == 1


def test_no_shared_memory(node):
    with Channel("it") as it, pytest.raises(ValueError, match="mode messages"):
        it.memory()


def test_another_version_is_refused(node):
    node.info[0] += 1
    with pytest.raises(RuntimeError, match=f"version {channel.VERSION + 1}"):
        Channel("it")


def test_numbers_are_those_of_the_header(tmp_path):
    """Tests that Python's numbers are those of the header."""
    names = {"LIMPET_NODE_INFO": channel.IOC_INFO, "LIMPET_NODE_EVENT": channel.IOC_EVENT,
             "LIMPET_NODE_EVENTS": channel.IOC_EVENTS, "LIMPET_NODE_VERSION": channel.VERSION,
             "LIMPET_CHANNEL_PAGE": channel.PAGE,
             **{f"LIMPET_CHANNEL_{mode.name}": mode for mode in Mode}}
    lines = "".join(f'printf("{name} %lu\\n", (unsigned long){name});' for name in names)
    (tmp_path / "it.c").write_text(f"#include <stdio.h>\n#include <limpet/node.h>\nint main(void){{{lines}}}")
    subprocess.run(["cc", f"-I{TOP / 'include'}", tmp_path / "it.c", "-o", tmp_path / "it"], check=True)
    said = subprocess.run([tmp_path / "it"], check=True, capture_output=True, text=True).stdout
    assert dict(re.findall(r"(\w+) (\d+)", said)) == {name: str(int(value)) for name, value in names.items()}
