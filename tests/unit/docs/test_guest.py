# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/reference/guest.md has each number of guest.h, and builds the example of docs/guide/guests.md."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADER = (ROOT / "include/limpet/guest.h").read_text()
PAGE = (ROOT / "docs/reference/guest.md").read_text()
GUIDE = (ROOT / "docs/guide/guests.md").read_text()
#: Components that the guide's system needs in addition to its own.
OTHERS = ("system/booter", "system/sched.fixed-priority", "system/log")


def enum(name: str) -> dict[str, int]:
    """Returns the values of an enum of the header without their prefix."""
    body = re.search(rf"enum {name} \{{(.*?)\n\}};", HEADER, re.S).group(1)
    return {key: int(value) for key, value in re.findall(r"LIMPET_GUEST_(\w+) = (\d+),", body)}


@pytest.mark.parametrize("name", enum("limpet_guest_event"))
def test_event_has_its_row(name):
    assert re.search(rf"^\| {name} \| \S.*\|.*\|.*\|$", PAGE, re.M)


@pytest.mark.parametrize("name, value", [*enum("limpet_guest_answer").items(),
                                         *enum("limpet_guest_state").items()])
def test_answer_and_state_have_their_number(name, value):
    assert re.search(rf"^\| {value} {name} \|", PAGE, re.M)


@pytest.mark.parametrize("name, value", [*enum("limpet_guest_origin").items(),
                                         *[(name, int(value)) for name, value in re.findall(
                                             r"#define LIMPET_GUEST_(ALONE|OPEN) (\d)u", HEADER)]])
def test_origin_and_flag_have_their_number(name, value):
    assert f"| {value} `LIMPET_GUEST_{name}` |" in PAGE


def test_every_request_is_described():
    for name in re.findall(r"#define LIMPET_GUEST_IOC_(\w+)", HEADER):
        assert re.search(rf"^\| {name} \|", PAGE, re.M), name


def test_executives_of_the_tree_are_listed():
    there = {path.parent.name for path in (ROOT / "components/executive").glob("*/component.toml")}
    assert set(re.findall(r"^\| `(exec\.\w+)` \|", GUIDE, re.M)) == there


def run(*words):
    """Runs a tool of the tree."""
    result = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_program_of_the_guide_can_be_built(tmp_path):
    text = re.search(r"^```c\n(.*?)^```", GUIDE, re.M | re.S).group(1)
    (tmp_path / "program.c").write_text(text)
    run("cc", "-Wall", "-Wextra", "-Werror", "-I", "components/executive/exec.spaces", tmp_path / "program.c",
        "-o", tmp_path / "program")


def test_example_of_the_guide(tmp_path):
    files = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", GUIDE, re.M | re.S))
    assert len(files) == 3
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    objects = tmp_path / "objects"
    objects.mkdir()
    for folder in OTHERS:
        (tmp_path / "components" / Path(folder).name).symlink_to(ROOT / "components" / folder)
    for folder in (tmp_path / "components").iterdir():
        run("tools/limpet-component", folder, "-o", objects / f"{folder.name}.o")
    run("tools/limpet-compose", tmp_path / "systems/keep.toml", "--components", tmp_path / "components",
        "--objects", objects, "-o", tmp_path / "keep.limpet")
