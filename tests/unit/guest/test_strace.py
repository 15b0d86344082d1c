# SPDX-License-Identifier: GPL-2.0
"""Tests that lib/guest prints calls in strace's form.

The program `traced` makes calls of all kinds and prints each with lib/guest. Debian 12's strace watches the same
process on each machine, so both read the same words and the same memory.
"""

import difflib
import os
import subprocess
from pathlib import Path

import pytest

from tests.harness.suites import Suites, loader, unpacked

ROOT = Path(__file__).parents[3]
TRACED = ROOT / "build/unit/guest/traced"
SIGNALLED = ROOT / "build/unit/guest/signalled"
#: The program's first and last call. It makes other calls only before and after these.
MARK = "close(-1111) = -1 EBADF (Bad file descriptor)"


@pytest.fixture(scope="module")
def both(tmp_path_factory) -> tuple[list[str], list[str]]:
    """Returns the lines of strace and of lib/guest."""
    folder = tmp_path_factory.mktemp("strace")
    strace = loader(unpacked("strace", Suites("bookworm"), ["strace"]), "/usr/bin/strace")
    # The program reads its own memory with process_vm_readv while it prints.
    command = [*strace, "-a1", "-o", folder / "strace", "-e", "trace=!process_vm_readv", TRACED, folder / "guest"]
    subprocess.run(command, check=True, timeout=60, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"})
    lines = [line for line in (folder / "strace").read_text().splitlines() if not line.startswith("--- ")]
    first, last = (index for index, line in enumerate(lines) if line == MARK)
    return lines[first:last + 1], (folder / "guest").read_text().splitlines()


def test_many_calls(both):
    """The program makes many different calls, so that the comparison covers arguments, errors and structures."""
    names = {line.partition("(")[0] for line in both[0]}
    assert len(names) > 160 and len(both[0]) > 800
    assert both[0][0] == both[0][-1] == MARK


def test_signals(tmp_path):
    """Each signal handler prints its signal in strace's form, for many kinds of signals."""
    strace = loader(unpacked("strace", Suites("bookworm"), ["strace"]), "/usr/bin/strace")
    own = tmp_path / "own"
    subprocess.run([*strace, "-o", tmp_path / "strace", "-e", "trace=none", SIGNALLED, own], check=True, timeout=60,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"})
    strace_lines = [line for line in (tmp_path / "strace").read_text().splitlines() if line.startswith("--- ")]
    own_lines = own.read_text().splitlines()
    assert len(own_lines) > 80
    assert "\n".join(difflib.unified_diff(strace_lines, own_lines, "strace", "lib/guest", n=0, lineterm="")) == ""


def test_same_lines(both):
    assert "\n".join(difflib.unified_diff(*both, "strace", "lib/guest", n=0, lineterm="")) == ""
