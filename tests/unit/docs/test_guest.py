# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/reference/guest.md has each number of guest.h, and builds the example of docs/guide/guests.md."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tools.compose import sandbox

ROOT = Path(__file__).parents[3]
HEADER = (ROOT / "include/limpet/guest.h").read_text()
PAGE = (ROOT / "docs/reference/guest.md").read_text()
GUIDE = (ROOT / "docs/guide/guests.md").read_text()
EXECUTIVES = (ROOT / "docs/guide/executives.md").read_text()
#: Executives of the tree that docs/guide/guests.md describes, and the one for tests.
ELSEWHERE = {"exec.spaces", "exec.probe"}
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


def sections() -> dict[str, str]:
    """Returns the section of each executive of docs/guide/executives.md."""
    return dict(re.findall(r"^## (exec\.\w+)\n(.*?)(?=^## |\Z)", EXECUTIVES, re.M | re.S))


def arguments() -> list[tuple[str, str, dict]]:
    """Returns the executive, name and description of each argument of the executives that have a section."""
    found = []
    for path in sorted((ROOT / "components/executive").glob("*/component.toml")):
        values = tomllib.loads(path.read_text())
        if path.parent.name not in ELSEWHERE:
            found += [(path.parent.name, name, value) for name, value in values.get("args", {}).items()]
    return found


def test_executives_have_their_section():
    there = {path.parent.name for path in (ROOT / "components/executive").glob("*/component.toml")}
    assert set(sections()) == there - ELSEWHERE
    for name, text in sections().items():
        assert f"](#{name.replace('.', '')})" in EXECUTIVES, name
        assert "\nLimits:\n\n- " in text and "\n# limpet guest run " in text, name


@pytest.mark.parametrize("executive, name, argument", arguments())
def test_argument_has_its_range_and_default(executive, name, argument):
    """The row has the range and default of component.toml, and no argument is described that there is not."""
    table = re.findall(r"^\| `([a-z-]+)` \|[^|]*\| ?([^|]*?) ?\| ([^|]*) \| [^|]+ \|$", sections()[executive], re.M)
    assert {row[0] for row in table} == {key for one, key, _ in arguments() if one == executive}
    given, default = next(row[1:] for row in table if row[0] == name)
    wanted = re.search(r"Default: (.+)\.$", argument["doc"])[1]
    if argument["type"] == "integer":
        minimum, maximum = (f"{argument[key]:,}" for key in ("min", "max"))
        assert given == (f"{minimum}, {maximum}" if maximum == "1" else f"{minimum} to {maximum}")
        assert default == f"{int(wanted):,}"
    else:
        assert default == f"`{wanted}`"


def test_keys_of_the_policy_are_described():
    rows = set(re.findall(r"^\| (?:`\[\w+\]`)? ?\| `(\w+)` \|", sections()["exec.sandbox"], re.M))
    assert rows == {"refusal", "default", "relative", *sandbox.ACTIONS, *sandbox.ACCESSES, *sandbox.DIRECTIONS}


def test_policy_is_that_of_the_system():
    block = re.search(r"^```toml\n(\[calls\].*?)^```", EXECUTIVES, re.M | re.S)[1]
    assert tomllib.loads(block) == tomllib.loads((ROOT / "systems/guest-files/sandbox.toml").read_text())


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
