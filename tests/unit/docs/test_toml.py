# SPDX-License-Identifier: GPL-2.0
"""Checks each TOML example of the pages with the composer or a generator.

A system must compose. Stubs are generated from a component or an interface. A fragment is a part of a system file. The
composer may refuse it only because other components are missing. A fragment without a header is a part of a table. Its
keys must be in the reference. A policy of exec.sandbox is translated.
"""

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests/compose"))

import support  # noqa: E402

from tools.compose import sandbox  # noqa: E402

BLOCK = re.compile(r"^```toml( \S+)?\n(.*?)^```", re.S | re.M)
#: Message about a component that the fragment omits. Any other message is an error in the page.
OMITTED = re.compile(r"There is no component '")
REFERENCE = (ROOT / "docs/reference/system-toml.md").read_text()
FRAGMENT = '[system]\nname = "fragment"\nframes = "64M"\ncpus = 4\n'


def blocks() -> list:
    """Returns the examples, except those that the test of the tutorials builds."""
    found = []
    for page in sorted(ROOT.glob("docs/**/*.md")):
        for match in BLOCK.finditer(page.read_text()):
            if not match[1]:
                line = page.read_text().count("\n", 0, match.start()) + 2
                found.append(pytest.param(match[2], id=f"{page.relative_to(ROOT)}:{line}"))
    return found


def compose(path, text, *more):
    """Composes a system with the components of the tree."""
    file = path / "example.toml"
    file.write_text(text)
    (path / "demo-files").mkdir(exist_ok=True)
    return support.call("limpet-compose", support.composer.main, file, *more)


def generate_component(path, text):
    """Generates the stubs of a component from its description."""
    folder = path / tomllib.loads(text)["component"]["name"]
    folder.mkdir()
    (folder / "component.toml").write_text(text)
    for name in tomllib.loads(text)["component"].get("sources", ["main.c"]):
        (folder / Path(name).name).write_text("")
    return support.call("limpet-component", support.component_build.main, folder, "-o", path / "out.o", "--stubs-only")


def generate_interface(path, text):
    """Generates the client's header from an interface."""
    folder = path / tomllib.loads(text)["interface"]["name"]
    folder.mkdir()
    (folder / "interface.toml").write_text(text)
    return support.interface(folder / "interface.toml", "--client", path / "out.h")


@pytest.mark.parametrize("text", blocks())
def test_example(tmp_path, text):
    data = tomllib.loads(text)
    if "system" in data:
        done = compose(tmp_path, text, "-o", tmp_path / "out.limpet")
    elif isinstance(data.get("component"), dict):
        done = generate_component(tmp_path, text)
    elif "interface" in data:
        done = generate_interface(tmp_path, text)
    elif "calls" in data:
        (tmp_path / "policy.toml").write_text(text)
        assert sandbox.translate(tmp_path / "policy.toml")
        return
    elif not any(isinstance(value, list) for value in data.values()):
        assert [key for key in data if f"| `{key}`" not in REFERENCE and f"[{key}]" not in REFERENCE] == []
        return
    else:
        done = compose(tmp_path, FRAGMENT + text)
        wrong = [line for line in done.stderr.splitlines() if not OMITTED.search(line)]
        assert wrong == []
        return
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tmp_path)


def test_there_are_examples():
    assert len(blocks()) > 20
