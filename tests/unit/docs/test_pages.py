# SPDX-License-Identifier: GPL-2.0
"""Checks the figures, paths and commands that pages for new users name."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FIGURE = re.compile(r"(?<![\w.,-])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,-])\d{3}(?![\w,.])"
                    r"|(?<![\w.,-])\d+\.\d+(?= %)")
CODE = re.compile(r"`([^`\n]+)`")


def rows(page):
    """Returns the lines of a page's tables."""
    return [line for line in (ROOT / page).read_text().splitlines() if line.startswith("|")]


@pytest.mark.parametrize("page, sources", [
    ("docs/mode.md", ["README.md", "docs/reference/costs.md", "docs/figures.md"]),
    ("docs/hardware.md", ["docs/entry.md"]),
])
def test_figures_are_those_of_the_measurements(page, sources):
    known = set(FIGURE.findall("\n".join((ROOT / source).read_text() for source in sources)))
    named = {figure for row in rows(page) for figure in FIGURE.findall(row)}
    assert len(named) >= 2 and named - known == set()


def test_costs_of_rtlinux_are_those_of_the_benches():
    costs = (ROOT / "docs/guide/rtlinux.md").read_text().split("\n## Costs\n")[1].split("\n## ")[0]
    named = set(FIGURE.findall("\n".join(line for line in costs.splitlines() if line.startswith("|"))))
    assert len(named) >= 20 and named - set(FIGURE.findall((ROOT / "bench/README.md").read_text())) == set()


@pytest.mark.parametrize("page", ["docs/papers.md", "docs/security.md"])
def test_places_exist(page):
    places = [word for word in CODE.findall((ROOT / page).read_text()) if "/" in word and not word.startswith(("/", "-"))]
    assert len(places) > 10 and [place for place in places if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("page", ["docs/start.md", "docs/mode.md", "docs/hardware.md", "docs/questions.md"])
def test_commands_exist(page):
    """The command has each subcommand and option that a page names."""
    calls = re.findall(r"\blimpet ([a-z][a-z-]*)((?: --[a-z-]+)*)", "\n".join(
        CODE.findall((ROOT / page).read_text()) + re.findall(r"^limpet .*$", (ROOT / page).read_text(), re.M)))
    calls = [(name, options) for name, options in calls if name not in ("new", "build", "try")]
    assert calls
    for name, options in calls:
        help_text = subprocess.run([ROOT / "build/cli/limpet", name, "--help"], capture_output=True, text=True,
                                   check=True).stdout
        assert [option for option in options.split() if option not in help_text] == [], name
