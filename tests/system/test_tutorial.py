# SPDX-License-Identifier: GPL-2.0
"""The tutorials, followed word for word: their files, their commands, and what they say one sees."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGES = {"first-component": ["sh", "toml", "c", "toml", "sh", "sh", "output", "output"],
         "sandbox": ["sh", "toml", "c", "toml", "sh", "shell", "sh", "output"],
         "survives-its-crash": ["sh", "toml", "c", "toml", "sh", "sh", "output", "output", "output"],
         "your-own-project": ["sh", "output", "sh", "output", "output", "output", "sh", "output", "output"],
         "talk-to-a-component": ["sh", "toml", "c", "toml", "sh", "shell", "c", "sh", "python", "sh", "output"]}
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_page_is_followed():
    assert {page.stem for page in (TOP / "docs/tutorial").glob("*.md")} == set(PAGES)


#: Seconds for one block: what it boots may have to wait until other guests have ended.
LIMIT = 1500


@pytest.mark.parametrize("page", PAGES)
def test_tutorial(page, tmp_path):
    """Each block in turn: sh is run, a file is written, output must have come."""
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
            assert text.strip() in seen, seen[-4000:]
        else:
            Path(path.replace("$HOME", str(tmp_path))).write_text(text)
    assert kinds == PAGES[page]
