# SPDX-License-Identifier: GPL-2.0
"""Checks that the targets and commands in README exist."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()


def test_module_of_the_running_kernel_is_built_against_its_headers(tmp_path):
    """make passes the module's folder to kbuild, and downloads nothing."""
    (tmp_path / "Makefile").write_text("modules:\n\t@echo built in $(M) for $(LIMPET)\n")
    target = "build/module-running/limpet.ko"
    done = subprocess.run(["make", "-s", "-o", "build/core/core.o", "-o", "build/bare/bare.bin", f"RUNNING_BUILD={tmp_path}",
                           target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert f"built in {ROOT}/build/module-running for {ROOT}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("line", sorted(set(re.findall(r"^    make (.*?)(?: *#.*)?$", README, re.M))))
def test_targets_exist(line):
    known = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text() + (ROOT / "packaging/install.mk").read_text()
                       + (ROOT / "tools/build.mk").read_text(), re.M)
    targets = [word for word in line.split() if "=" not in word and not word.startswith("-")]
    assert targets and not [word for word in targets if word not in known]


def test_commands_exist():
    commands = set(re.findall(r"`limpet ([a-z-]+)", README))
    pages = (ROOT / "cli/man/limpet.1").read_text()
    assert len(commands) > 8
    assert not [name for name in commands if f".It Cm {name}\n" not in pages]
