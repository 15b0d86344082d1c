# SPDX-License-Identifier: GPL-2.0
"""Tests the runner of properties, with guests that run nothing."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.harness import system
from tests.harness.property import Property
from tests.harness.qemu import Result
from tests.harness.system import Case, Runner

#: The records of a property whose only verdict is good.
RECORDS = [{"begin": "NAME"}, {"test": "t", "ok": True}, {"done": 1}, {"end": "NAME", "status": 0}]


class IdleGuest:
    """A guest that has written `records` from the start and then ends for a reason."""

    def __init__(self, records: list, reason: str, at_end) -> None:
        self.records, self.reason, self.at_end = records, reason, at_end
        self.machine = SimpleNamespace(timeout=0)
        self.deadline = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def wait_record(self, key: str, value: str) -> bool:
        """Returns whether the guest has written the record."""
        return any(record.get(key) == value for record in self.records)

    def finish(self) -> Result:
        """Ends the guest."""
        self.at_end()
        return Result("", self.records, self.reason, 1, Path("log"), status=0)


def records(name: str) -> list[dict]:
    """Returns the records of a property with this name."""
    return [{key: name if value == "NAME" else value for key, value in record.items()} for record in RECORDS]


@pytest.fixture
def cases(monkeypatch):
    """Makes two properties that share a guest."""
    monkeypatch.setattr(system, "missing", lambda case: [])
    monkeypatch.setattr(system, "initramfs", lambda cases: None)
    return [Case(Property(name, Path("folder"), shared=True), "6.1", 1) for name in ("one", "two")]


def run(cases, monkeypatch, written: list, reason: str, at_end=lambda runner: None) -> dict[str, list]:
    """Runs the cases. Returns the faults of those that were reported as ended."""
    reported, runner = {}, []
    monkeypatch.setattr(system, "open_guest",
                        lambda *_: IdleGuest(written, reason, lambda: at_end(runner[0])))
    runner.append(Runner([], ended=lambda case, outcome: reported.update({case.property.name: outcome.faults})))
    runner[0]._boot(cases, 1)
    return reported


def test_each_case_is_reported(cases, monkeypatch):
    """All cases of a guest that ended by itself are reported with their outcomes."""
    written = records("one") + records("two")[:-1]
    assert run(cases, monkeypatch, written, "panic") == {
        "one": [], "two": ["guest ended by: panic", "run.sh did not end"]}


def test_an_interrupted_case_is_not_reported(cases, monkeypatch):
    """If the runner is closed while a guest runs, its earlier cases count. The last one that began does not."""
    written = records("one") + records("two")[:1]
    assert run(cases, monkeypatch, written, "aborted", lambda runner: runner.stop.set()) == {"one": []}


def test_cases_that_close_has_kept_from_starting_are_not_reported(cases, monkeypatch):
    """If the runner is closed before a guest's first case begins, no case is reported. Otherwise all fail."""
    assert run(cases, monkeypatch, [], "aborted", lambda runner: runner.stop.set()) == {}
    assert sorted(run(cases, monkeypatch, [], "panic")) == ["one", "two"]
