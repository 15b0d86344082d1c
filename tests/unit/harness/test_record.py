# SPDX-License-Identifier: GPL-2.0
"""Tests the record of `make test-all`: the cases that are not repeated, and the page of results."""

import subprocess
from types import SimpleNamespace

import pytest

from tests.harness import record
from tests.harness.record import Record, Tree, page

TREE = SimpleNamespace(of=lambda case: "tree")


def test_passed_cases_are_known_later(tmp_path):
    """A later run on the same tree skips passed cases and repeats failed ones. Another tree repeats all cases."""
    path = tmp_path / "folder/record"
    first = Record(path, TREE, "commit")
    first.note("a", True, 1.23)
    first.note("b", False, 2)
    later = Record(path, TREE, "commit")
    assert later.passed("a") and not later.passed("b") and not later.passed("c")
    assert not Record(path, SimpleNamespace(of=lambda case: "other"), "commit").passed("a")
    later.note("b", True, 2)
    assert Record(path, TREE, "commit").passed("b")
    later.note("a", False, 2)
    assert not Record(path, TREE, "commit").passed("a")


def test_since(tmp_path, repository, monkeypatch):
    """With LIMPET_RECORD_SINCE, cases of that commit and of later ones count. The page marks the older ones."""
    monkeypatch.setenv("LIMPET_RECORD", "build/record")
    for text, case in (("1", "a"), ("2", "b"), ("3", "c"), ("4", "d")):
        (repository / "a.c").write_text(text)
        commit(repository)
        record.of_this_tree().note(case, case != "c", 1)
    assert set(record.of_this_tree().ended) == {"d"}
    monkeypatch.setenv("LIMPET_RECORD_SINCE", "HEAD~2")
    results = record.of_this_tree()
    assert set(results.ended) == {"b", "c", "d"}
    assert results.passed("b") and not results.passed("c")
    lines = page(results).splitlines()
    assert "Files have changed since 2 of the cases ended. An asterisk (*) marks them." in lines
    assert {"| b | 1 * |", "| c | FAILED * |", "| d | 1 |"} <= set(lines)
    monkeypatch.setenv("LIMPET_RECORD_SINCE", "HEAD~3")
    assert set(record.of_this_tree().ended) == {"a", "b", "c", "d"}


def test_torn_line(tmp_path):
    """If a run is killed while it writes, only its last case is lost."""
    path = tmp_path / "record"
    Record(path, TREE, "commit").note("a", True, 1)
    with open(path, "a") as out:
        out.write('{"tree": "tr')
    Record(path, TREE, "commit").note("b", True, 1)
    found = Record(path, TREE, "commit")
    assert found.passed("a") and found.passed("b")


def test_compact(tmp_path):
    """Only the last result of each case remains, and only results of this tree."""
    path = tmp_path / "record"
    Record(path, SimpleNamespace(of=lambda case: "other"), "commit").note("c", True, 1)
    first = Record(path, TREE, "commit")
    for passed in (False, True):
        first.note("b", passed, 1)
    first.note("a", True, 1)
    Record(path, TREE, "commit").compact()
    assert [line.split('"case": ')[1][:3] for line in path.read_text().splitlines()] == ['"a"', '"b"']
    assert Record(path, TREE, "commit").passed("b")


def git(folder, *words):
    """Runs git in a folder."""
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def commit(folder):
    """Commits all files of a folder."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Makes a git repository with one commit."""
    git(tmp_path, "init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / record.PAGE).write_text("old\n")
    (tmp_path / "a.c").write_text("old\n")
    (tmp_path / ".gitignore").write_text("build/\n")
    commit(tmp_path)
    monkeypatch.setattr(record, "TOP", tmp_path)
    return tmp_path


FIFO = "tests/system/test_system.py::test_property[fifo-6.1-1cpu]"
FLOOD = "tests/system/test_system.py::test_property[flood-newest-2cpu-beneath]"
HANG = "tests/system/test_harness.py::test_hang"
TUTORIAL = "tests/system/test_tutorial.py::test_tutorial[first]"


def changed(repository, path, text="new\n"):
    """Writes a file, and returns which of the four cases depend on it."""
    before = [Tree().of(case) for case in (FIFO, FLOOD, HANG, TUTORIAL)]
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text(text)
    return [Tree().of(case) != old for case, old in zip((FIFO, FLOOD, HANG, TUTORIAL), before)]


def test_cases_depend_on_what_is_here_now(repository):
    """Each change of a file, committed or not, repeats the cases that depend on it."""
    for path, text in (("tests/system/channel/fifo/test.toml", "what = 'x'\n"),
                       ("tests/system/channel/flood/test.toml", "x = 'build/system/channel/held/image'\n"),
                       ("tests/system/channel/held/test.toml", "x = 'build/system/channel/none/image'\n"),
                       ("tests/system/test_system.py", ""), ("tests/system/test_harness.py", ""),
                       ("tests/system/test_tutorial.py", "'docs/tutorial'\n")):
        changed(repository, path, text)
    assert changed(repository, "a.c") == changed(repository, "b.c") == [True] * 4
    assert changed(repository, "tests/system/lib/all.sh") == changed(repository, "tests/unit/bridge/peer.c") == [True] * 4
    assert changed(repository, "tests/system/channel/fifo/run.sh") == [True, False, True, True]
    assert changed(repository, "tests/system/channel/flood/run.sh") == [False, True, True, True]
    assert changed(repository, "tests/system/channel/held/run.sh") == [False, True, True, True]
    assert changed(repository, "tests/system/test_harness.py") == [False, False, True, False]
    assert changed(repository, "docs/page.md") == changed(repository, "README.md") == [False, False, False, True]
    for path in (record.PAGE, record.RECORD, "build/a.o", "tests/unit/test_a.py", ".ci/run"):
        assert changed(repository, path) == [False] * 4


def test_page(tmp_path):
    """The page has a row for each property and mode, and a column for each machine. Other tests are separate."""
    results = Record(tmp_path / "record", TREE, "0123abc")
    for case, passed in (("test_property[two-words-6.12-2cpu]", True), ("test_property[two-words-6.1-1cpu]", True),
                         ("test_property[two-words-6.1-rt-1cpu-beneath]", False),
                         ("test_property[two-words-6.1-debug-1cpu]", True),
                         ("test_property[two-words-newest-rt-1cpu]", True)):
        results.note(f"tests/system/test_system.py::{case}", passed, 12.6)
    results.note("tests/system/test_figures.py::test_figures[6.12-rt-table2-beneath]", True, 99)
    results.note("tests/system/test_figures.py::test_figures[newest-rtlinux-beneath]", True, 7)
    results.note("tests/system/test_harness.py::test_hang_ends_in_time", True, 3.4)
    lines = page(results).splitlines()
    assert "`make test-all`: 7 passed, 1 failed." in lines
    assert any(line.startswith("| 0123abc | 2") and line.endswith(" | 8 |") for line in lines)
    assert "| property | mode | 6.1, 1 CPU | 6.12, 2 CPU | 6.1-debug, 1 CPU | 6.1-rt, 1 CPU | newest-rt, 1 CPU |" in lines
    assert "| two-words | beneath | - | - | - | FAILED | - |" in lines
    assert "| two-words | beside | 13 | 13 | 13 | - | 13 |" in lines
    assert "| suite | newest | 6.12-rt |" in lines
    assert "| table2-beneath | - | 99 |" in lines and "| rtlinux-beneath | 7 | - |" in lines
    assert "| test_harness.py::test_hang_ends_in_time | 3 |" in lines


def test_nothing_recorded(tmp_path, monkeypatch, capsys):
    """A missing record is a failure, and the message describes how to make one."""
    monkeypatch.delenv("LIMPET_RECORD", raising=False)
    assert record.main([]) == 1
    assert "make test-all" in capsys.readouterr().err
