# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/reference/rtlinux.md has a row for each function of lib/rtlinux's headers."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "lib/rtlinux"
#: The headers that modules get with each include. Those of <math.h> and <rtl_cpp.h> have one row each.
HEADERS = ("api.h", "linux.h", "linux_list.h", "linux_user.h", "posixio.h")
PAGE = (ROOT / "docs/reference/rtlinux.md").read_text()
#: A declaration or the beginning of an inline function.
FUNCTION = re.compile(r"^(?!typedef\b)(?:static inline )?[a-z][\w ]*[ *](\w+)\(", re.M)
MACRO = re.compile(r"^#define ([a-z]\w*)\(", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
#: Names behind macros of the interface. Modules do not use them.
PRIVATE = re.compile(r"rtlinux_|init_module$|cleanup_module$")


def functions(header: str) -> list[str]:
    """Returns the functions that a header declares, and for api.h also its macros that are called as functions."""
    text = COMMENT.sub("", (FOLDER / header).read_text())
    found = FUNCTION.findall(text) + (MACRO.findall(text) if header == "api.h" else [])
    return sorted({name for name in found if not PRIVATE.match(name)})


def rows() -> set[str]:
    """Returns the names in the first cells of all tables."""
    cells = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| ")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_headers_are_read():
    """The patterns find functions of each kind."""
    found = {name for header in HEADERS for name in functions(header)}
    assert len(found) > 250
    assert {"pthread_create", "pthread_self", "pthread_exit", "timespec_to_ns", "hrt2ts", "timespec_lt", "mmap", "list_add",
            "request_irq", "rtl_get_minor"} <= found


@pytest.mark.parametrize("header", HEADERS)
def test_every_function_has_a_row(header):
    """The first cell of a row names each function."""
    assert not [name for name in functions(header) if name not in rows()]


def test_every_name_exists():
    """The headers have each name that the page names in a first cell, except words without an underscore."""
    text = "".join(path.read_text() for path in FOLDER.glob("*.h"))
    assert not [name for name in rows() if "_" in name.strip("_") and not re.search(rf"\b{name}\b", text)]
