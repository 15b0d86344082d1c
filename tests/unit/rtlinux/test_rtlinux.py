# SPDX-License-Identifier: GPL-2.0
"""Runs the programs of this folder, which test parts of lib/rtlinux."""

import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
FLAGS = ["-std=gnu11", "-O1", "-g", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-DLIMPET_FAKE_KERNEL",
         *(f"-I{TOP / folder}" for folder in ("include", "lib", "shared", "build/interfaces"))]
#: Programs, and the files of lib/rtlinux that they test.
TESTS = {"soft_irq": ["module"], "interrupt": ["core", "interrupt", "period", "thread"], "line": ["line", "period"],
         "barrier": [],
         "times": ["core", "interrupt", "period", "thread", "time", "clock", "hardware_clock", "scheduler_clock", "timer",
                   "v1"]}


@pytest.mark.parametrize("name", TESTS)
def test_program(name, tmp_path):
    """The exit status is the line of the first failure, at most 255."""
    subprocess.run(["cc", *FLAGS, "-o", tmp_path / "test", TOP / f"tests/unit/rtlinux/{name}.c",
                    *(TOP / f"lib/rtlinux/{part}.c" for part in TESTS[name])], check=True)
    assert subprocess.run([tmp_path / "test"], timeout=60).returncode == 0
