# SPDX-License-Identifier: GPL-2.0
"""Checks each link of the pages to another file of the tree and to a heading in it."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
FENCE = re.compile(r"^ *```.*?^ *```", re.S | re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def pages() -> list[Path]:
    """Returns all pages of the tree."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names if (ROOT / name).exists() and "/snapshot/" not in name]


def text_of(page: Path) -> str:
    """Returns the text of the page without its code blocks."""
    return FENCE.sub("", page.read_text())


def anchors(page: Path) -> set[str]:
    """Returns the anchors of the page's headings, in the form of GitHub and other renderers."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.M)
    words = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", word).strip().replace(" ", "-") for word in words}


def broken(page: Path, link: str) -> bool:
    """Returns whether the target of a link is missing."""
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


def test_the_target_of_every_link_exists():
    found = [(page, link) for page in pages() for link in LINK.findall(text_of(page)) if not ELSEWHERE.match(link)]
    assert len(found) > 100
    assert [f"{page.relative_to(ROOT)}: {link}" for page, link in found if broken(page, link)] == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A `word`, and more\n")
    assert anchors(page) == {"a-word-and-more"}
    assert not broken(page, "#a-word-and-more") and not broken(page, "page.md#a-word-and-more")
    assert broken(page, "#other") and broken(page, "missing.md")
