# SPDX-License-Identifier: GPL-2.0
"""Runs soft_irq.c, which tests soft interrupts of lib/rtlinux."""

import subprocess
from pathlib import Path

TOP = Path(__file__).parents[3]
FLAGS = ["-std=gnu11", "-O1", "-g", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-DLIMPET_FAKE_KERNEL",
         *(f"-I{TOP / folder}" for folder in ("include", "lib", "shared", "build/interfaces"))]


def test_soft_interrupts(tmp_path):
    """The exit status is the line of the first failure."""
    subprocess.run(["cc", *FLAGS, "-o", tmp_path / "test", TOP / "tests/unit/rtlinux/soft_irq.c", TOP / "lib/rtlinux/module.c"],
                   check=True)
    assert subprocess.run([tmp_path / "test"], timeout=60).returncode == 0
