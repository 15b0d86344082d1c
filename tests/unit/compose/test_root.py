# SPDX-License-Identifier: BSD-2-Clause
"""Tests in which folder the tools find libraries, interfaces and components."""

import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]


@pytest.mark.parametrize("kit", [None, "elsewhere"])
def test_root(tmp_path, kit):
    """A tool that is called by a link, as in /usr/bin, finds the folders around its file. LIMPET_SDK overrides this."""
    link = tmp_path / "limpet-component"
    link.symlink_to(TOP / "tools/limpet-component")
    environment = {name: value for name, value in os.environ.items() if name != "LIMPET_SDK"}
    if kit:
        environment["LIMPET_SDK"] = str(tmp_path / kit)
        (tmp_path / kit / "include").mkdir(parents=True)
        (tmp_path / kit / "include/limpet").symlink_to(TOP / "include/limpet")
    done = subprocess.run([link, "--print-flags"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    root = tmp_path / kit if kit else TOP
    assert [word for word in done.stdout.split() if word.startswith("-I")] == [
        f"-I{root}/{folder}" for folder in ("lib", "shared", "include")]
