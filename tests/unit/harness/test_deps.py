# SPDX-License-Identifier: GPL-2.0
"""Tests that missing packages are installed before other work starts, also with several jobs."""

import os
import shutil
import subprocess
from pathlib import Path

TOP = Path(__file__).parents[3]


def make(folder, script):
    """Runs `make -j2 check` of the Makefile alone, where that script replaces the installation. Returns the result."""
    shutil.copy(TOP / "Makefile", folder)
    deps = folder / "tests/harness/deps.sh"
    deps.parent.mkdir(parents=True)
    deps.write_text(f"#!/bin/sh\n{script}\n")
    deps.chmod(0o755)
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "-j2", "check", "PYTHON=true"], cwd=folder, env=alone, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)


def test_installed_first(tmp_path):
    done = make(tmp_path, "sleep 0.5; echo installed")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[0] == "installed"
    assert "format: clean" in done.stdout


def test_nothing_begins_without(tmp_path):
    done = make(tmp_path, "sleep 0.5; exit 1")
    assert done.returncode and "clean" not in done.stdout
