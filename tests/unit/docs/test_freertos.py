# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/guide/freertos.md has the number of lines of FreeRTOS's port, and that they are within the aim."""

import re
from pathlib import Path

import pytest

from tests.harness import lines

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/guide/freertos.md").read_text()
FILES = ("port.c", "switch.S", "portmacro.h")
COUNTS = {name: lines.count((ROOT / "lib/freertos" / name).read_text()) for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_lines_of_a_file(name):
    """The table has the lines of each file, as lines.py counts them."""
    assert re.findall(rf"^\| `{name}` \| (\d+) \|$", PAGE, re.M) == [str(COUNTS[name])]


def test_lines_in_all():
    """The sum is in the table, and is at most the aim that the page names."""
    assert re.findall(r"^\| all \| (\d+) \|$", PAGE, re.M) == [str(sum(COUNTS.values()))]
    aim = re.search(r"The aim is at most (\d+) lines", PAGE)
    assert aim and sum(COUNTS.values()) <= int(aim[1])


def test_no_file_is_left_out():
    """The port has no other source, except those of the demos."""
    folder = ROOT / "lib/freertos"
    assert sorted(path.name for path in folder.iterdir() if path.suffix in lines.SUFFIXES) == sorted(FILES)
