# SPDX-License-Identifier: GPL-2.0
"""Builds the documentation site, checks every link and anchor of every page, and checks that mistakes are found."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SITE = ROOT / "build/docs/html"
sys.path[:0] = [str(ROOT / "docs/site"), str(ROOT / "python")]

import check  # noqa: E402
import limpet  # noqa: E402


@pytest.fixture(scope="module")
def site():
    """Returns the folder of the site, after `make docs`."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "docs"], cwd=ROOT, env=alone, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    assert done.returncode == 0, done.stdout
    return SITE


def test_every_link_and_anchor(site):
    assert check.check(site) == []


def test_every_page_is_there(site):
    """Each page of docs/ has an HTML page, and no page is left from an earlier build."""
    sources = {path.relative_to(ROOT).with_suffix(".html") for path in ROOT.glob("docs/**/*.md")}
    built = {path.relative_to(SITE) for path in SITE.glob("docs/**/*.html")}
    assert len(sources) > 60 and built == sources


def test_interfaces_have_their_reference(site):
    page = check.Page(site / "docs/reference/interfaces.html")
    names = [path.parent.name for path in ROOT.glob("interfaces/*/interface.toml")]
    assert len(names) > 10
    assert [name for name in names if f"interface-{name}".replace("_", "-") not in
            {anchor.replace("_", "-") for anchor in page.anchors}] == []


def test_python_has_its_reference(site):
    """The page has a section for each function and class of the package, with its docstring."""
    page = check.Page(site / "docs/reference/python.html")
    assert len(limpet.__all__) > 20
    assert [name for name in limpet.__all__ if name.lower().replace("_", "-") not in page.anchors] == []
    assert [name for name in limpet.__all__ if not getattr(limpet, name).__doc__] == []


def test_the_search_knows_the_pages(site):
    """The index of the search is a script, so that the search works when the pages are opened as files."""
    text = (site / "searchindex.js").read_text()
    assert text.startswith("Search.setIndex(")
    assert "docs/reference/kernel-calls" in text and re.search(r"\bdeadlin", text)


def test_mistakes_fail_the_build(tmp_path):
    """The build reports a broken link, a missing anchor, a missing image, and a page that no list has."""
    folder = tmp_path / "tree/docs"
    folder.mkdir(parents=True)
    (folder / "index.md").write_text("# Top\n\n```{toctree}\npage\n```\n")
    (folder / "page.md").write_text("# A page\n\n[one](missing.md) [two](index.md#no-such) ![three](missing.png)\n")
    (folder / "orphan.md").write_text("# Not listed\n")
    done = subprocess.run(["/usr/bin/python3", "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c",
                           ROOT / "docs/site", tmp_path / "tree", tmp_path / "out"], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    for name, reason in (("page.md", "missing.md"), ("page.md", "no-such"), ("page.md", "missing.png"),
                         ("orphan.md", "toctree")):
        assert [line for line in done.stderr.splitlines() if name in line and reason in line], (reason, done.stderr)


PAGE = '<html><body id="here"><a href="{link}">x</a>{more}</body></html>'


@pytest.mark.parametrize("link, more, wrong", [
    ("other.html#there", "", None),
    ("#here", "", None),
    ("https://example.org/", "", None),
    ("#there", "", "the page does not have this anchor"),
    ("other.html#here", "", "the page does not have this anchor"),
    ("none.html", "", "the site does not have this file"),
    ("../outside.html", "", "the site does not have this file"),
    ("#here", '<img src="none.png">', "the site does not have this file"),
    ("#here", '<script src="https://example.org/x.js"></script>', "is loaded from another site"),
    ("#here", '<link rel="stylesheet" href="//example.org/x.css">', "is loaded from another site"),
])
def test_check(tmp_path, link, more, wrong):
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "outside.html").write_text("")
    (folder / "page.html").write_text(PAGE.format(link=link, more=more))
    (folder / "other.html").write_text('<html><body><p id="there"></p></body></html>')
    found = check.check(folder)
    assert [line.rpartition(": ")[2] for line in found] == ([wrong] if wrong else [])


def test_check_of_style_sheets(tmp_path):
    (tmp_path / "page.html").write_text("<html></html>")
    (tmp_path / "style.css").write_text("@font-face { src: url('https://example.org/font.woff2') }")
    assert check.check(tmp_path) == ["style.css: https://example.org/font.woff2: is loaded from another site"]


def test_check_of_nothing(tmp_path):
    assert check.check(tmp_path) != []
