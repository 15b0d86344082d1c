# SPDX-License-Identifier: GPL-2.0
"""Runs the tutorials exactly: their files and commands, and their printed outputs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGES = {"first-component": ["sh", "toml", "c", "toml", "sh", "sh", "output", "output"],
         "measure-and-prove": ["sh", "toml", "c", "toml", "sh", "shell", "sh", *["output"] * 8, "sh", *["output"] * 2],
         "sandbox": ["sh", "toml", "c", "toml", "sh", "shell", "sh", "output"],
         "survive-linux-crash": ["sh", "toml", "c", "toml", "sh", "shell", "shell", "sh", *["output"] * 6],
         "survives-its-crash": ["sh", "toml", "c", "toml", "sh", "sh", "output", "output", "output"],
         "your-own-project": ["sh", "output", "sh", "output", "output", "output", "sh", "output", "output"],
         "talk-to-a-component": ["sh", "toml", "c", "toml", "sh", "shell", "c", "sh", "python", "sh", "output"]}
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


NUMBER = re.compile(r"\d[\d.,]*\d|\d")
#: Rows of `limpet hist`, which can be more or fewer in another run.
ROWS = re.compile(r"(?:^ +\d+ - \d+ .*\n?)+", re.MULTILINE)


def word_pattern(word):
    """Returns a pattern for a word with any numbers. 0 must be 0."""
    numbers = ("0(?![.,\\d])" if number == "0" else "\\d[\\d.,]*" for number in NUMBER.findall(word))
    between = [re.escape(text) for text in NUMBER.split(word)]
    return between[0] + "".join(number + text for number, text in zip(numbers, between[1:]))


def measured(text):
    """Returns a pattern for a transcript whose numbers can differ in another run, except for 0."""
    parts = [r"\n\s*".join(" +".join(map(word_pattern, line.split())) for line in part.strip("\n").splitlines())
             for part in ROWS.split(text)]
    return re.compile(r"(?:\s+\d+ - \d+ [^\n]*)+\s*".join(parts))


def test_measured():
    text = "a.b: 3 values, 0 missed, <0.1%\n  12 - 14   7 ##\n 14 - 16  0\nend 1,000 ns.\n"
    assert measured(text).search("x\ra.b: 45 values, 0 missed, 99.0%\n 1 - 2  1\nend 2 ns.") is None
    for same in (text, "x\ra.b: 45   values, 0 missed, <0.3%\n 1 - 2  1\nend 2,500 ns."):
        assert measured(text).search(same), same
    for other in ("a.b: 3 values, 1 missed, <0.1%\n 1 - 2 1\nend 1 ns.", "a.b: 3 values, 0 missed, <0.1%\nend 1 ns."):
        assert not measured(text).search(other), other


def test_every_page_is_followed():
    assert {page.stem for page in (TOP / "docs/tutorial").glob("*.md")} == set(PAGES)


#: Time limit for one block in seconds. A guest may have to wait until other guests have ended.
LIMIT = 1500


@pytest.mark.parametrize("page", PAGES)
def test_tutorial(page, tmp_path):
    """Runs each block in turn: executes sh, writes files, and compares outputs. Measured outputs may have other
    numbers."""
    environment = os.environ | {"HOME": str(tmp_path)}
    environment["PATH"] = f"{TOP}/build/cli:{environment['PATH']}"
    environment["LIMPET_CACHE"] = os.environ.get("LIMPET_CACHE") or str(Path.home() / ".cache/limpet")
    for name in ("KERNEL", "CPUS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    seen, kinds = "", []
    for kind, path, text in BLOCK.findall((TOP / f"docs/tutorial/{page}.md").read_text()):
        kinds.append(kind)
        if kind == "sh":
            done = subprocess.run(["bash", "-e", "-c", text], cwd=TOP, env=environment, timeout=LIMIT,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            seen += done.stdout
            assert done.returncode == 0, seen[-4000:]
        elif kind == "output":
            assert measured(text).search(seen) if path == "measured" else text.strip() in seen, seen[-4000:]
        else:
            Path(path.replace("$HOME", str(tmp_path))).write_text(text)
    assert kinds == PAGES[page]
