# SPDX-License-Identifier: GPL-2.0
"""Tests the downloads of `make test`: the harness accepts the Makefile's words, and a failed download is seen."""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.harness import kernels
from tests.harness.kernels import Kernel

TOP = Path(__file__).parents[3]


def downloads(folder, script):
    """Runs `make downloads` of the Makefile alone, where that script replaces Python. Returns the result."""
    shutil.copy(TOP / "Makefile", folder)
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "downloads", f"PYTHON={python}"], cwd=folder, env=alone, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)


def commands(folder):
    """Returns the words of each command that the Makefile runs, after `python3 -m`."""
    done = downloads(folder, f'[ "$1" = -m ] && shift; echo "$@" >>{folder}/words')
    assert (done.returncode, done.stdout) == (0, "")
    return [line.split() for line in (folder / "words").read_text().splitlines()]


def fake_fetch(flavour):
    """Checks the flavour as fetch does, and downloads nothing."""
    kernels._check(flavour, kernels.FLAVOURS)
    return Kernel(flavour, "7.3", *[Path("/nowhere")] * 5)


def test_words_are_accepted(tmp_path, monkeypatch):
    """Each command is a module of the harness, and kernels.py accepts its words for the whole kernel of test_newest."""
    found = commands(tmp_path)
    assert all(importlib.util.find_spec(words[0]) for words in found)
    [words] = [words[1:] for words in found if words[0] == "tests.harness.kernels"]
    fetched = []
    monkeypatch.setattr(kernels, "fetch", lambda flavour: fetched.append(flavour) or fake_fetch(flavour))
    assert kernels.main(words) == 0
    assert fetched == ["newest"]


def test_headers_of_a_newer_kernel():
    """The headers alone exist for Debian 12's kernels only, so the error names what is accepted."""
    with pytest.raises(ValueError, match="no kernel flavour 'newest': use one of 6.1, "):
        kernels.main(["newest", "headers"])


def test_failure_is_one_line(tmp_path):
    """A failed download prints the last line of its output, and the other ones are tried."""
    done = downloads(tmp_path, 'echo "progress"; echo "no archive for $2" >&2; exit 1')
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "download of kernels newest build failed: no archive for tests.harness.kernels",
        "download of newer_qemu failed: no archive for tests.harness.newer_qemu",
        "download of bochs failed: no archive for tests.harness.bochs"]
