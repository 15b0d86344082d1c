# SPDX-License-Identifier: GPL-2.0
"""Checks all sources: the names of static C functions, the lengths of files, and the limits of lines of the kernel.

A static function must not have the name of a public function of the C library, because a reader takes its calls for
the library's. A public function is a symbol that a new program can be linked with. The rule has no exception for code
that runs without the C library, such as the kernel: unit tests compile that code into programs with the library.
"""

import functools
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LINES = 800
#: A file of these kinds, or with a first line that names one of these interpreters, is C, Python or shell.
SUFFIXES = {".c", ".h", ".S", ".py", ".sh", ".bash"}
INTERPRETER = re.compile(rb"#!.*\b(python3?|sh|bash)\b")
#: Generated and foreign files, which can be longer. Today the tree has none: both kinds are made in build/.
FOREIGN: set[str] = set()
#: The head of a static function up to its name, in one line or several.
STATIC = re.compile(r"^static\b[^;={}()#]*?\b(\w+)\s*\(", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)+")


def tracked(*patterns: str) -> list[str]:
    """Returns the files of the tree that match a pattern, or all."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


@functools.cache
def public() -> set[str]:
    """Returns the C library's public functions. A symbol with @ instead of @@ serves only programs of the past."""
    library = subprocess.run(["gcc", "-print-file-name=libc.so.6"], capture_output=True, text=True, check=True).stdout
    symbols = subprocess.run(["nm", "-D", "--defined-only", library.strip()], capture_output=True, text=True,
                             check=True).stdout
    return set(re.findall(r" [TWi] ([^_\W]\w*)@@", symbols))


def taken(text: str) -> list[str]:
    """Returns the names of static functions that the C library has, too."""
    return [name for name in STATIC.findall(ATTRIBUTE.sub("", text)) if name in public()]


def is_code(name: str, head: bytes) -> bool:
    """Returns whether a file is C, Python or shell, from its name and its first bytes."""
    return Path(name).suffix in SUFFIXES or bool(INTERPRETER.match(head))


@pytest.mark.parametrize("text, names", [
    ("static long send(int a)\n{\n}\n", ["send"]), ("static inline void *\nmemcpy(void *a)\n", ["memcpy"]),
    ("static __attribute__((noinline)) int open(void)\n", ["open"]), ("static long message_send(int a);\n", []),
    ("long send(int a)\n", []), ("static int a = open(1);\nstatic int (*f)(void);\n", []), ("\treturn send(1);\n", []),
    ("static void step(void)\n", []),                   # of old programs only
])
def test_names_of_the_c_library_are_found(text, names):
    assert taken(text) == names


def test_the_library_was_read():
    assert len(public()) > 1000


def test_static_functions_have_names_of_their_own():
    files = tracked("*.[ch]")
    assert len(files) > 1000
    assert [f"{file}: static {name}()" for file in files for name in taken((ROOT / file).read_text())] == []


def test_code_is_found():
    assert is_code("a/b.c", b"") and is_code("packaging/install-files", b"#!/bin/sh -e\n")
    assert is_code("x", b"#!/usr/bin/env python3\n") and not is_code("x", b"#!/usr/bin/lua\n")
    assert not is_code("docs/start.md", b"# Start\n")


def test_files_are_short():
    contents = {name: (ROOT / name).read_bytes() for name in tracked() if name not in FOREIGN}
    lengths = {name: text.count(b"\n") for name, text in contents.items() if is_code(name, text[:80])}
    assert len(lengths) > 1500
    assert {name: lines for name, lines in lengths.items() if lines > LINES} == {}


@pytest.mark.parametrize("part, limit", [("core", "SLOC_LIMIT"), ("layer", "BARE_LIMIT"), ("guests", "GUEST_LIMIT")])
def test_limits_of_lines_are_the_sum_of_their_raises(part, limit):
    makefile = (ROOT / "Makefile").read_text()
    first, raises = re.search(rf"^#   {part} (\d+)\n((?:# +\+\d+ .*\n)+)", makefile, re.M).groups()
    total = int(first) + sum(int(number) for number in re.findall(r"^# +\+(\d+) ", raises, re.M))
    assert f"{limit} := {total}\n" in makefile
