# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/reference/devices.md describes each ioctl of the device files in the fixed form."""

import errno
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/devices.md").read_text()
HEADERS = {name: (ROOT / f"include/limpet/{name}.h").read_text() for name in ("device", "node", "guest")}
#: Name, direction, and structure or empty.
IOCTL = re.compile(r"^#define (LIMPET_\w+) _IO(W?R?)\('\w', \d+(?:, ([\w ]+))?\)", re.M)
SECTION = re.compile(r"^### (\w+)\n(.*?)(?=^##|\Z)", re.M | re.S)
#: A row with the argument, the allowed callers, whether the call waits, and the cost.
ROW = re.compile(r"^\| argument \| caller \| waits \| cost \|\n\|---\|---\|---\|---\|\n\| (.+?) \| .+ \| .+ \| .+ \|$", re.M)
ERRORS = re.compile(r"^Errors.*?\n\n((?:- .*\n(?:  .*\n)*)+)", re.M)
DIRECTIONS = {"": None, "R": "out", "W": "in", "WR": "in and out"}

IOCTLS = [match for text in HEADERS.values() for match in IOCTL.findall(text)]
SECTIONS = dict(SECTION.findall(PAGE))


def test_every_ioctl_has_its_section():
    """The page has one section for each ioctl, in the order of the headers, and no other sections."""
    assert list(SECTIONS) == [name for name, _, _ in IOCTLS]


@pytest.mark.parametrize("name, direction, structure", IOCTLS)
def test_form(name, direction, structure):
    """The argument is that of the header. Each error exists, is listed once, and has a cause, except ENOMEM."""
    rows = ROW.findall(SECTIONS[name])
    assert len(rows) == 1
    if structure:
        assert rows[0].startswith(f"`{structure} *`, {DIRECTIONS[direction]}")
    errors = [line for block in ERRORS.findall(SECTIONS[name]) for line in re.findall(r"^- (.*)", block, re.M)]
    names = [found for line in errors for found in re.findall(r"`(E\w+)`", line)]
    assert len(names) == len(set(names))
    assert not [found for found in names if not hasattr(errno, found)]
    assert all(": " in line or line == "`ENOMEM`" for line in errors)


@pytest.mark.parametrize("header", ("device", "node"))
def test_version(header):
    """The table has the header's version."""
    version = re.search(r"_VERSION (\d+)", HEADERS[header])[1]
    assert f"| `<limpet/{header}.h>`, {version} |" in PAGE
