# SPDX-License-Identifier: GPL-2.0
"""Runs the tutorials exactly: their files and commands, and their printed outputs."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.harness.tutorial import FOLDER, blocks, measured, shows

TOP = Path(__file__).parents[2]
PAGES = {"first-component": ["sh", "toml", "c", "toml", "sh", "sh", "output", "output"],
         "measure-and-prove": ["sh", "toml", "c", "toml", "shell", "sh", *["output"] * 8, "sh", *["output"] * 2],
         "sandbox": ["sh", "toml", "c", "toml", "shell", "sh", "output"],
         "survive-linux-crash": ["sh", "toml", "c", "toml", "shell", "shell", "sh", *["output"] * 6],
         "survives-its-crash": ["sh", "toml", "c", "toml", "sh", "output", "output", "output"],
         "your-own-project": ["sh", "output", "sh", "output", "output", "output", "sh", "output", "output"],
         "talk-to-a-component": ["sh", "toml", "c", "toml", "shell", "c", "sh", "sh", "python", "sh", "output"]}


def test_measured():
    text = "a.b: 3 values, 0 missed, <0.1%\n  12 - 14   7 ##\n 14 - 16  0\nend 1,000 ns.\n"
    assert measured(text).search("x\ra.b: 45 values, 0 missed, 99.0%\n 1 - 2  1\nend 2 ns.") is None
    for same in (text, "x\ra.b: 45   values, 0 missed, <0.3%\n 1 - 2  1\nend 2,500 ns."):
        assert shows(same, "measured", text), same
    for other in ("a.b: 3 values, 1 missed, <0.1%\n 1 - 2 1\nend 1 ns.", "a.b: 3 values, 0 missed, <0.1%\nend 1 ns."):
        assert not shows(other, "measured", text), other
    assert shows("a 1\n", "", "a 1\n") and not shows("a 2\n", "", "a 1\n")


def test_every_page_is_followed():
    assert {page.stem for page in FOLDER.glob("*.md")} == set(PAGES)


#: Time limit for one block in seconds. A guest may have to wait until other guests have ended.
LIMIT = 1500
#: Runs a block in the folder and with the variables in which the previous block ended, as in one shell.
SHELL = """set -e
. "$0"
cd "$PWD"
{text}
export -p >"$0"
"""


@pytest.mark.parametrize("page", PAGES)
def test_tutorial(page, tmp_path):
    """Runs each block in turn: executes sh, writes files, and compares outputs. Measured outputs may have other
    numbers."""
    home, state = tmp_path / "home", tmp_path / "state"
    home.mkdir()
    state.write_text("")
    environment = os.environ | {"HOME": str(home), "PWD": str(home)}
    environment["PATH"] = f"{TOP}/build/cli:{environment['PATH']}"
    environment["LIMPET_CACHE"] = os.environ.get("LIMPET_CACHE") or str(Path.home() / ".cache/limpet")
    for name in ("KERNEL", "CPUS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    seen, kinds = "", []
    for kind, word, text in blocks(page):
        kinds.append(kind)
        if kind == "sh":
            done = subprocess.run(["bash", "-c", SHELL.format(text=text), state], cwd=home, env=environment,
                                  timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            seen += done.stdout
            assert done.returncode == 0, seen[-4000:]
        elif kind == "output":
            assert shows(seen, word, text), seen[-4000:]
        else:
            Path(word.replace("$HOME", str(home))).write_text(text)
    assert kinds == PAGES[page]
