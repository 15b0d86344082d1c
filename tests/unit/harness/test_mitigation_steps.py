# SPDX-License-Identifier: GPL-2.0
"""Tests the judgements of the property mitigation-steps on ways without a guest."""

import importlib.util
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP))

_spec = importlib.util.spec_from_file_location("mitigation_steps", TOP / "tests/system/attach/mitigation-steps/drive.py")
steps = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = steps     # its dataclass looks up its module
_spec.loader.exec_module(steps)


@pytest.mark.parametrize("code, jumps", [
    ("c3", True), ("f3c3", True), ("c20800", True), ("ffe0", True), ("41ffe3", True), ("3effe0", True), ("ff25", True),
    ("ffd0", True), ("2effd0", True), ("e900000000", False), ("eb00", False), ("0f30", False), ("ffc0", False),
    ("ff30", False), ("50", False)])
def test_returns_and_indirect_jumps_are_recognized(code, jumps):
    assert steps.indirect(bytes.fromhex(code).ljust(8, b"\0")) is jumps


@pytest.mark.parametrize("name, done, chosen", [
    ("timer", [("ibpb", 0)], {"ibpb"}),
    ("timer", [("ibrs", 0)], {"ibrs", "history"}),
    ("system call", [("ibrs", 0), ("history", 0)], {"ibrs", "history"}),
    ("system call", [("untrain", 0), ("ibpb", 1)], {"untrain", "ibpb"})])
def test_entry_with_the_mitigations_holds(name, done, chosen):
    steps.entry_judged(name, steps.Way(done), chosen)


@pytest.mark.parametrize("name, done, chosen", [
    ("timer", [], {"ibpb"}),
    ("timer", [("ibpb", 0), ("ibpb", 1)], {"ibpb"}),
    ("timer", [("ibrs", 1)], {"ibrs"}),
    ("timer", [("MSR 0x10", 0)], set()),
    ("timer", [("history", 0)], {"history"}),
    ("system call", [("ibrs off", 0)], {"ibrs"}),
    ("system call", [("ibrs", 0)], {"ibrs", "history"})])
def test_entry_without_a_mitigation_fails(name, done, chosen):
    with pytest.raises(AssertionError, match=name):
        steps.entry_judged(name, steps.Way(done), chosen)


def test_exit_clears_ibrs_after_the_last_return():
    steps.exit_judged("iret", steps.Way([("ibrs off", 2)], 2), {"ibrs"})
    steps.exit_judged("iret", steps.Way([], 2), {"history"})


@pytest.mark.parametrize("done, chosen", [([], {"ibrs"}), ([("ibrs", 2)], {"ibrs"}), ([("ibrs off", 1)], {"ibrs"}),
                                          ([("ibrs off", 2)], set())])
def test_exit_that_keeps_ibrs_or_returns_after_it_fails(done, chosen):
    with pytest.raises(AssertionError, match="sysret"):
        steps.exit_judged("sysret", steps.Way(done, 2), chosen)
