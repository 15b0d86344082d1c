# SPDX-License-Identifier: GPL-2.0
"""Tests the second machine of a property: the ends of the cable, and which machine is paused."""

import contextlib
import types
from pathlib import Path

import pytest

from tests.harness import cable
from tests.harness.machine import Machine, cable_end


class FakeGuest:
    """A guest whose ticks the test sets. `paused` follows the commands to its monitor."""

    def __init__(self, name):
        self.name, self.records, self.lines, self.trouble, self.deadline = name, [], [], None, float("inf")
        self.paused, self.on_follow, self.ended = False, lambda: None, False
        self.monitor = types.SimpleNamespace(execute=self._execute)

    def _execute(self, command):
        assert self.paused == (command == "cont")
        self.paused = command == "stop"

    def tick(self, count=1):
        self.records += [{"tick": 1}] * count

    def follow(self, _timeout):
        self.on_follow()

    def over(self):
        return self.ended


@pytest.fixture(name="pair")
def pair_of_fakes():
    pair = cable.Pair.__new__(cable.Pair)
    pair.near, pair.far, pair._held, pair._offset = FakeGuest("near"), FakeGuest("far"), None, 0
    pair._open = contextlib.ExitStack()
    return pair


def test_ends_fit():
    """Each end sends to the socket of the other. Neither machine skips idle time."""
    near = Machine(kernel=None, paced=True, cable=True).words(Path("/f"))
    assert "dgram,id=cable,local.type=unix,local.path=/f/cable,remote.type=unix,remote.path=/f/far" in near
    assert "shift=0,sleep=on" in near and "tcg,thread=single" in near
    far = cable_end(Path("/f/far"), Path("/f/cable"), 2)
    assert far[1] == "dgram,id=cable,local.type=unix,local.path=/f/far,remote.type=unix,remote.path=/f/cable"
    assert "mac=52:54:00:00:01:01" in near[-1] and "mac=52:54:00:00:01:02" in far[-1]


def test_machine_that_is_ahead_is_paused(pair):
    """Ticks of the near machine before the first tick of the far machine do not count."""
    pair.near.tick(100)
    pair._pace()
    assert not pair.near.paused and not pair.far.paused
    pair.far.tick()
    pair._pace()
    assert not pair.near.paused
    pair.near.tick(cable.LEAD + 2)
    pair._pace()
    assert pair.near.paused and not pair.far.paused
    pair.far.tick(2)
    pair._pace()
    assert not pair.near.paused
    pair.far.tick(2 * cable.LEAD)
    pair._pace()
    assert pair.far.paused and not pair.near.paused


@pytest.mark.parametrize("name", ["near", "far"])
def test_near_machine_runs_after_the_end_of_the_far_one(pair, name):
    """An ended machine gets no command."""
    pair._hold(getattr(pair, name))
    with pair._open:
        pair._open.callback(setattr, pair.far.monitor, "execute", None)
        pair._power_off()
    assert not pair.near.paused and pair._held is None


def test_waits_for_a_record(pair):
    pair.far.on_follow = lambda: pair.near.records.append({"far": "end"})
    pair.wait_record("far", "end")


def test_machine_that_ends_is_named(pair):
    pair.far.ended, pair.far.lines = True, ["its last line"]
    with pytest.raises(RuntimeError, match="far ended before far end: .*its last line"):
        pair.wait_record("far", "end")
