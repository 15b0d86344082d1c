# SPDX-License-Identifier: BSD-2-Clause
"""Tests of the composer's line of progress."""

import io

import pytest

from tools.compose import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(name="seconds")
def fixture_seconds(monkeypatch):
    """Makes each act take as many seconds as it is told. Returns the act."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])

    def act(seconds):
        now[0] += seconds
        return -seconds
    return act


@pytest.mark.parametrize("stream, times, shown", [
    (Terminal(), [1, 1, 0.5, 0.1, 0.2, 1], ["3 of 6", "5 of 6"]), (Terminal(), [1, 0.9], []), (io.StringIO(), [3, 3], [])],
    ids=["slow", "quick", "no terminal"])
def test_lines(monkeypatch, seconds, stream, times, shown):
    monkeypatch.setattr("sys.stderr", stream)
    assert progress.each(seconds, times, "things are done") == [-one for one in times]
    lines = stream.getvalue().split("\r")[1:]
    assert lines == [f"{one} things are done " for one in shown] + ["\033[K"] * bool(shown)


def test_the_line_is_removed_before_a_complaint(monkeypatch, seconds):
    monkeypatch.setattr("sys.stderr", Terminal())

    def refuse(number):
        seconds(3)
        if number:
            raise ValueError
    with pytest.raises(ValueError):
        progress.each(refuse, [0, 1], "things are done")
    assert progress.sys.stderr.getvalue().endswith("\r1 of 2 things are done \r\033[K")
