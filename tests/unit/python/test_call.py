# SPDX-License-Identifier: GPL-2.0
"""Tests calls of a component, with a pair of sockets in place of the channel and a thread in place of the component."""

import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path[:0] = [str(TOP / "python"), str(TOP)]

from limpet import CallError, Caller, call      # noqa: E402
from tools.compose import interface             # noqa: E402

PONG = TOP / "interfaces/pong/interface.toml"


class Channel:
    """A channel whose other end belongs to the test."""

    peer: socket.socket

    def __init__(self, name):
        assert name == "pong"
        self.ours, Channel.peer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def send(self, data, timeout):
        self.ours.settimeout(timeout)
        try:
            self.ours.send(data)
        except BlockingIOError:
            raise TimeoutError from None

    def receive(self, timeout):
        self.ours.settimeout(timeout)
        try:
            answer = self.ours.recv(100)
        except BlockingIOError:
            raise TimeoutError from None
        if not answer:
            raise BrokenPipeError
        return answer

    def close(self):
        self.ours.close()


@pytest.fixture(name="pong")
def opened(monkeypatch):
    monkeypatch.setattr(call, "Channel", Channel)
    with Caller("pong", PONG, timeout=10) as caller:
        yield caller


def answered(*answers):
    """Answers the next requests in a thread, each by a function of the request's id and words. Returns the requests."""
    requests = []
    peer = Channel.peer

    def serve():
        for answer in answers:
            requests.append(struct.unpack("<QII6Q", peer.recv(100)))
            for part in answer(requests[-1][0]):
                peer.send(part)

    threading.Thread(target=serve).start()
    return requests


def answer(outcome=0, status=0, words=(0, 0, 0), later=0):
    return lambda number: [struct.pack("<QIIq3Q", number + later, outcome, 0, status, *words)]


def test_words(pong):
    requests = answered(answer(status=7, words=(1, 2, 3)), answer())
    assert pong.call("call4", 7, 1, 2, -1) == (7, 1, 2, 3)
    assert pong.call("call0") == (0,)
    assert requests[0][1:] == (interface.identity(interface.read(PONG)), 1, 7, 1, 2, 2**64 - 1, 0, 0)
    assert requests[1][0] == requests[0][0] + 1


@pytest.mark.parametrize("what, status", [(answer(status=-10), -10), (answer(2), call.INTERFACE), (answer(3), call.FUNCTION),
                                          (answer(1), call.BAD), (answer(status=-2000), call.BAD),
                                          (answer(later=1), call.BAD), (lambda number: [b"short"], call.BAD)])
def test_failures(pong, what, status):
    answered(what)
    with pytest.raises(CallError, match=r"call0: \w") as failure:
        pong.call("call0")
    assert failure.value.status == status


def test_late_answers_are_dropped(pong):
    pong._timeout = 0.05
    with pytest.raises(CallError, match="no answer in time") as failure:
        pong.call("call0")
    assert failure.value.status == call.TIME
    pong._timeout = 10
    first = struct.unpack_from("<Q", Channel.peer.recv(100))[0]
    answered(lambda number: [*answer(status=5)(first), *answer(status=6)(number)])
    assert pong.call("call0") == (6,)


def test_full_channel(pong):
    """A component that waits for space for its answers gets it."""
    for _ in range(100):
        Channel.peer.send(answer()(1)[0])
    filled, pong._timeout = 0, 0.05
    while filled < 2000:
        try:
            pong._channel.send(bytes(64), 0)
        except TimeoutError:
            break
        filled += 1
    with pytest.raises(CallError, match="no answer in time"):
        pong.call("call0")
    assert filled < 2000
    pong._timeout = 10
    while filled:
        filled -= len(Channel.peer.recv(100)) == 64
    answered(answer(status=1))
    assert pong.call("call0") == (1,)


def test_component_that_ends(pong):
    Channel.peer.close()
    with pytest.raises(CallError) as failure:
        pong.call("call0")
    assert failure.value.status == call.LOST
    pong._channel = Channel("pong")
    answered(answer(status=2))
    assert pong.call("call0") == (2,)


def test_wrong_use(pong, tmp_path):
    for words, said in ((["none"], "no function none"), (["call4", 1], "takes 4 arguments, not 1")):
        with pytest.raises(TypeError, match=said):
            pong.call(*words)
    (tmp_path / "it.toml").write_text("[interface]\nname = 'it'\n")
    with pytest.raises(ValueError, match="not an interface definition: 'version'"):
        Caller("pong", tmp_path / "it.toml")


def test_interfaces_have_the_numbers_of_the_composer():
    paths = sorted(TOP.glob("interfaces/*/interface.toml"))
    assert len(paths) > 10
    assert all(call._definition(path)[1] == interface.identity(interface.read(path)) for path in paths)


def test_sentences_are_those_of_the_library(tmp_path):
    """The texts are those of limpet_call_text() for each status, also for numbers that do not exist."""
    (tmp_path / "it.c").write_text("""#include <client/call.h>
#include <stdio.h>
int main(void) { for (long i = -1; i > -1100; i--) printf("%ld %s\\n", i, limpet_call_text(i)); }
""")
    subprocess.run(["cc", "-std=gnu11", f"-I{TOP}", f"-I{TOP / 'include'}", f"-I{TOP / 'cli'}", tmp_path / "it.c",
                    *(TOP / f"cli/client/{name}.c" for name in ("call", "channel", "ring")), "-o", tmp_path / "it"],
                   check=True)
    said = subprocess.run([tmp_path / "it"], check=True, capture_output=True, text=True).stdout
    texts = {int(number): text for number, text in (line.split(" ", 1) for line in said.splitlines())}
    assert {number: text for number, text in texts.items() if text != "unknown status"} == call.TEXTS
