# SPDX-License-Identifier: GPL-2.0
"""Tests docs/reference/kernel-calls.md against the headers and the kernel.

Each call of call.h has a section of the fixed form, with the same number and words. The page explains each error
of error.h. The errors of a section are exactly those that the call returns in tests/unit/kernel.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/kernel-calls.md"
PROGRAMS = ROOT / "build/unit/kernel"
CALL = re.compile(r'X\((\w+), (\d+),\s*"([^"]*)"\)')
#: A section: number and name, then all text up to the next section.
SECTION = re.compile(r"^## (\d+) (\w+)\n(.*?)(?=^## )", re.M | re.S)
WORD = re.compile(r"^- word (\d) \*\*(.+?)\*\*: \S", re.M)
ERROR = re.compile(r"^- `(LIMPET_E\w+)`: \S", re.M)
#: A thread that makes one of these calls restarts at its entry with the next event.
NEVER_RETURN = {"GUEST_SERVE", "GUEST_ANSWER"}


def calls() -> dict[str, tuple[int, list[str]]]:
    """Returns the number and words of each call in call.h."""
    text = re.sub(r"\s*\\\n\s*", " ", (ROOT / "include/limpet/call.h").read_text())
    text = text[text.index("#define LIMPET_CALLS"):text.index("#define LIMPET_CALL_ENUM")]
    return {name: (int(number), [] if words == "-" else words.split(", "))
            for name, number, words in CALL.findall(text)}


def errors() -> set[str]:
    """Returns the errors of error.h."""
    text = (ROOT / "include/limpet/error.h").read_text()
    return {f"LIMPET_{name}" for name in re.findall(r"X\((E\w+), \d+,", text)}


def sections() -> dict[str, tuple[int, str]]:
    """Returns the number and text of each call's section."""
    return {name: (int(number), text)
            for number, name, text in SECTION.findall(PAGE.read_text())}


def errors_in(text: str) -> set[str]:
    """Returns the errors that a section lists."""
    return set(ERROR.findall(text.split("**Errors.**", 1)[1]))


def test_every_call_has_its_section():
    """Each call has one section, in the order of the numbers."""
    assert [(name, number) for name, (number, _) in sections().items()] == \
        [(name, number) for name, (number, _) in sorted(calls().items(), key=lambda c: c[1][0])]


@pytest.mark.parametrize("name", calls())
def test_form(name):
    """Each section has a text, the words of call.h, results, errors and cost."""
    _, text = sections()[name]
    marks = [text.index(mark) for mark in ("**Results.**", "**Errors.**", "**Cost.**")]
    assert marks == sorted(marks) and text.strip()[0].isalpha()
    words = WORD.findall(text)
    assert [int(number) for number, _ in words] == list(range(len(words)))
    assert [word for _, word in words] == calls()[name][1]
    assert errors_in(text) <= errors()


def test_every_error_is_explained():
    """The page's last part names each error of error.h, with its number."""
    text = PAGE.read_text()
    table = dict(re.findall(r"^\| `(LIMPET_E\w+)` \| (\d+) \| \S", text, re.M))
    header = (ROOT / "include/limpet/error.h").read_text()
    assert table == {f"LIMPET_{name}": number
                     for name, number in re.findall(r"X\((E\w+), (\d+),", header)}


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> dict[str, set[str]]:
    """Returns the errors that each call returned in the kernel's unit tests."""
    programs = [path for path in sorted(PROGRAMS.glob("test_*"))
                if not path.suffix and path.is_file() and path.name != "test_random"]
    assert programs, "the kernel's unit tests are not built: make unit-python builds them"
    path = tmp_path_factory.mktemp("seen") / "seen"
    for program in programs:
        subprocess.run([program], env=os.environ | {"LIMPET_SEEN": str(path)}, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    found: dict[str, set[str]] = {}
    for line in path.read_text().split("\n")[:-1]:
        name, status = line.split()
        found.setdefault(name, set()).add(status)
    return found


@pytest.mark.parametrize("name", [name for name in calls() if name != "RETURN"])
def test_errors_are_the_kernels(name, seen):
    """The unit tests see exactly the errors of the page, and see the call succeed."""
    works = set() if name in NEVER_RETURN else {"LIMPET_OK"}
    assert errors_in(sections()[name][1]) | works == seen[name]
