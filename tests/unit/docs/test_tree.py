# SPDX-License-Identifier: GPL-2.0
"""Checks the includes of all sources against the table in docs/architecture.md, section "The tree".

A row names the places that a place may include. Any other include is an error. A row must not name a
row below it, or a place that does not exist.
"""

import os.path
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
#: Folders that are searched for an include in angle brackets: each compiler flag -I of the Makefiles.
FOLDERS = ["", "include", "hal", "hal/x86", "lib", "shared", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
ROW = re.compile(r"^\| `([a-z_0-9/]+)/` \|[^|]*\| *([^|]*?) *\|", re.M)


def places() -> dict[str, set[str]]:
    """Returns each place of the table with the places that it may include."""
    page = (ROOT / "docs/architecture.md").read_text()
    table = page[page.index("## The tree"):]
    table = table[:table.index("\n## ", 1)]
    return {place: set(re.findall(r"`([a-z_0-9/]+)/`", may)) for place, may in ROW.findall(table)}


PLACES = places()


def place_of(file: str) -> str:
    """Returns the longest path of the table that contains the file."""
    found = [place for place in PLACES if file.startswith(f"{place}/")]
    return max(found, key=len, default="")


def sources() -> list[str]:
    """Returns all C and assembly files of the product."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.[chS]"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in names if not name.startswith("tests/") and (ROOT / name).exists()]


def included(file: str, known: set[str]) -> list[str]:
    """Returns the files of the tree that a file includes."""
    result = []
    for how, name in INCLUDE.findall((ROOT / file).read_text()):
        own = [os.path.dirname(file)] if how == '"' else []
        tries = [os.path.normpath(os.path.join(folder, name)) for folder in own + FOLDERS]
        result += [found for found in tries if found in known][:1]
    return result


def test_places_exist():
    assert len(PLACES) > 15
    assert [place for place in PLACES if not (ROOT / place).is_dir()] == []
    assert {name for may in PLACES.values() for name in may} <= set(PLACES)


def test_each_command_is_a_folder():
    entries = sorted((ROOT / "cli/command").iterdir())
    assert len(entries) > 20
    assert [path.name for path in entries if not (path / "command.c").is_file()] == []


def test_every_source_has_a_place():
    assert [file for file in sources() if not place_of(file)] == []


def test_includes_are_as_the_table_says():
    files = sources()
    known = set(files)
    wrong = [f"{file} includes {other}: {place_of(file)}/ may not include {place_of(other)}/"
             for file in files for other in included(file, known)
             if place_of(other) not in PLACES[place_of(file)] | {place_of(file)}]
    assert wrong == []


def test_table_has_nothing_unused():
    files = sources()
    known = set(files)
    used = {(place_of(file), place_of(other)) for file in files for other in included(file, known)}
    assert [f"{place} -> {other}" for place, may in PLACES.items() for other in may
            if (place, other) not in used] == []


def test_rows_only_name_rows_above():
    """Therefore the includes between places have no cycle."""
    rows = list(PLACES)
    assert [f"{place} -> {other}" for place, may in PLACES.items() for other in may
            if rows.index(other) >= rows.index(place)] == []
