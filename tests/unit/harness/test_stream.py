# SPDX-License-Identifier: GPL-2.0
"""Tests pipes that represent serial ports."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.harness.stream import Pipe   # noqa: E402


def test_a_port_that_writes_byte_by_byte_need_not_wait(tmp_path):
    pipe = Pipe(tmp_path / "port")
    port = os.open(tmp_path / "port.out", os.O_WRONLY | os.O_NONBLOCK)
    line = b"x" * 99 + b"\n"
    for byte in line * 1000:    # BlockingIOError if the pipe is full
        os.write(port, bytes([byte]))
    os.close(port)
    lines = []
    while not pipe.closed:
        lines += pipe.read_lines(1)
    assert lines == ["x" * 99] * 1000
    pipe.close()


def test_what_is_sent_arrives(tmp_path):
    pipe = Pipe(tmp_path / "port")
    port = os.open(tmp_path / "port.in", os.O_RDONLY | os.O_NONBLOCK)
    pipe.send("words\n")
    pipe.send(b"\x1d")
    assert os.read(port, 100) == b"words\n\x1d"
    os.close(port)
    assert not pipe.read_lines(0) and not pipe.closed   # the other direction is not open yet
    pipe.close()
