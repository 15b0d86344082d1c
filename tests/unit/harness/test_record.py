# SPDX-License-Identifier: GPL-2.0
"""Tests the record of `make test-all`: the cases that need not run again, and the page of results."""

import subprocess

import pytest

from tests.harness import record
from tests.harness.record import Record, page


def test_passed_cases_are_known_later(tmp_path):
    """A later run on the same tree skips passed cases and repeats failed ones. Another tree repeats all cases."""
    path = tmp_path / "folder/record"
    first = Record(path, "tree", "commit")
    first.note("a", True, 1.23)
    first.note("b", False, 2)
    later = Record(path, "tree", "commit")
    assert later.passed("a") and not later.passed("b") and not later.passed("c")
    assert not Record(path, "other", "commit").passed("a")
    later.note("b", True, 2)
    assert Record(path, "tree", "commit").passed("b")
    later.note("a", False, 2)
    assert not Record(path, "tree", "commit").passed("a")


def test_torn_line(tmp_path):
    """If a run is killed while it writes, only its last case is lost."""
    path = tmp_path / "record"
    Record(path, "tree", "commit").note("a", True, 1)
    with open(path, "a") as out:
        out.write('{"tree": "tr')
    Record(path, "tree", "commit").note("b", True, 1)
    found = Record(path, "tree", "commit")
    assert found.passed("a") and found.passed("b")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Makes a git repository with one commit."""
    def git(*words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=tmp_path, check=True,
                       stdout=subprocess.DEVNULL)
    git("init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / record.PAGE).write_text("old\n")
    (tmp_path / "a.c").write_text("old\n")
    (tmp_path / ".gitignore").write_text("build/\n")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    monkeypatch.setattr(record, "TOP", tmp_path)
    return tmp_path


def test_tree_is_what_is_here_now(repository):
    """Each change of a file changes the tree, committed or not. Changes of the page and of built files do not."""
    first = record.tree_now()
    (repository / record.PAGE).write_text("new\n")
    (repository / "build").mkdir()
    (repository / "build/a.o").write_text("")
    assert record.tree_now() == first
    (repository / "b.c").write_text("")
    second = record.tree_now()
    assert second != first
    (repository / "a.c").write_text("new\n")
    assert record.tree_now() not in (first, second)


def test_page(tmp_path):
    """The page has a row for each property and mode, and a column for each machine. Other tests are separate."""
    results = Record(tmp_path / "record", "tree", "0123abc")
    for case, passed in (("test_property[two-words-6.12-2cpu]", True), ("test_property[two-words-6.1-1cpu]", True),
                         ("test_property[two-words-6.1-rt-1cpu-beneath]", False),
                         ("test_property[two-words-6.1-debug-1cpu]", True)):
        results.note(f"tests/system/test_system.py::{case}", passed, 12.6)
    results.note("tests/system/test_figures.py::test_figures[6.12-rt-table2-beneath]", True, 99)
    results.note("tests/system/test_harness.py::test_hang_ends_in_time", True, 3.4)
    lines = page(results).splitlines()
    assert "`make test-all` on commit 0123abc: 5 passed, 1 failed." in lines
    assert "| property | mode | 6.1, 1 CPU | 6.12, 2 CPU | 6.1-debug, 1 CPU | 6.1-rt, 1 CPU |" in lines
    assert "| two-words | beneath | - | - | - | FAILED |" in lines
    assert "| two-words | beside | 13 | 13 | 13 | - |" in lines
    assert "| table2-beneath | 99 |" in lines
    assert "| test_harness.py::test_hang_ends_in_time | 3 |" in lines


def test_nothing_recorded(tmp_path, monkeypatch, capsys):
    """A missing record is a failure, and the message describes how to make one."""
    monkeypatch.delenv("LIMPET_RECORD", raising=False)
    assert record.main([]) == 1
    assert "make test-all" in capsys.readouterr().err
