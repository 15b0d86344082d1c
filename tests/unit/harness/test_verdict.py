# SPDX-License-Identifier: GPL-2.0
"""Tests how records become verdicts: passes, and each kind of failure."""

from pathlib import Path

import pytest

from tests.harness.qemu import Result
from tests.harness.verdict import sort

GOOD = [{"test": "a", "ok": True}, {"figure": {"n": 1}}, {"test": "b", "ok": True}, {"done": 2}]


def run(*records, status=0):
    """Returns the verdict of one property's records between begin and end."""
    return sort([{"begin": "p"}, *records, {"end": "p", "status": status}])["p"]


def test_pass():
    """All records are good and complete."""
    verdict = run(*GOOD)
    assert verdict.faults() == [] and verdict.figures == [{"n": 1}]


@pytest.mark.parametrize("records, status, fault", [
    ([*GOOD[:-1]], 0, 'no "done"'),
    ([{"done": 0}], 0, "no verdict"),
    ([GOOD[0], {"done": 2}], 0, "says 2 verdicts, 1 came"),
    ([*GOOD, {"done": 2}], 0, '2 "done" records'),
    ([{"test": "a", "ok": False, "why": "because"}, {"done": 1}], 0, "a: because"),
    ([{"test": "a"}, {"done": 1}], 0, "a: no reason given"),
    ([{"test": "a", "ok": "false"}, {"done": 1}], 0, "a: no reason given"),
    (GOOD, 3, "status 3"),
])
def test_not_a_pass(records, status, fault):
    """The verdict names each fault."""
    assert any(fault in found for found in run(*records, status=status).faults())


def test_cut_short():
    """The property never ended."""
    verdict = sort([{"begin": "p"}, {"test": "a", "ok": True}])["p"]
    assert "run.sh did not end" in verdict.faults()


def test_properties_in_turn_are_kept_apart():
    """Records belong to the property that had started."""
    verdicts = sort([{"begin": "p"}, *GOOD, {"end": "p", "status": 0}, {"test": "stray", "ok": False},
                     {"begin": "q"}, {"end": "q", "status": 1}, {"exit": 0}])
    assert not verdicts["p"].faults() and verdicts["q"].status == 1


@pytest.mark.parametrize("records, reason, status, fault", [
    (GOOD, "poweroff", 0, ""),
    (GOOD[:-1], "poweroff", 0, 'no "done"'),
    ([GOOD[0], GOOD[-1]], "poweroff", 0, "says 2 verdicts, 1 came"),
    ([*GOOD, GOOD[-1]], "poweroff", 0, '2 "done" records'),
    ([], "poweroff", 0, 'no "done"'),
    (GOOD, "poweroff", 1, "status 1"),
    (GOOD, "poweroff", None, "run.sh did not end"),
    (GOOD, "panic: x", 0, "guest ended by: panic: x"),
])
def test_a_run_with_one_script(records, reason, status, fault):
    """A guest with one script is judged as a property is."""
    faults = Result("", [*records, {"exit": status}], reason, 1, Path("log"), status=status).faults()
    assert any(fault in found for found in faults) if fault else not faults
