# SPDX-License-Identifier: GPL-2.0
"""Checks that text in TOML files has at most 120 columns, and that sentences of the documentation are not too long."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COLUMNS, WORDS = 120, 35
#: The maximum of words in the pages that each user reads first.
FIRST_PAGES = {"README.md": 25, "CAVEATS.md": 25}
#: Long lines that TOML does not allow to be broken: inline tables without a text, and a value that is one word.
ONE_LINE = re.compile(r'[\w-]+ = \{(?!.* doc = ).*|("[^"]*"|[\w-]+) *= *"[^ "]*"')
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"),
                *(page for part in ("guide", "tutorial", "reference") for page in ROOT.glob(f"docs/{part}/**/*.md"))])


def long_lines(text):
    """Returns the numbers of lines with too many columns, which could be broken."""
    return [number for number, line in enumerate(text.splitlines(), 1)
            if len(line) > COLUMNS and not ONE_LINE.fullmatch(line.strip())]


def sentences(text):
    """Returns the sentences of a page, without code. A cell of a table and an item of a list begin a sentence."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"^(    |\t).*$|^#.*$|^<.*$", "", text, flags=re.M)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    blocks = re.split(r"\n\s*\n|\||\n(?=\s*(?:[-*]|\d+\.)\s)", text)
    return [sentence for block in blocks
            for sentence in re.split(r"(?<=[.!?])[*)\"]*\s+(?=[A-Z`*\"(\[0-9])", " ".join(block.split()))]


def words(sentence):
    """Returns the number of words, without signs."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_lines_of_toml():
    """Files of tests/compose/bad are inputs, and their first line must be one line."""
    listed = subprocess.run(["git", "ls-files", "*.toml"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = listed.stdout.split()
    assert len(files) > 300
    found = {file: lines for file in files if not file.startswith("tests/compose/bad/") and (ROOT / file).exists()
             and (lines := long_lines((ROOT / file).read_text()))}
    assert found == {}


@pytest.mark.parametrize("line, is_long", [
    ('doc = "' + 20 * "a word " + '"', True), ("# " + 20 * "a word ", True),
    ('x = { type = "text", doc = "' + 99 * "a" + '" }', True), (COLUMNS * "a", False), ((COLUMNS + 1) * "a", True),
    ('files = { "' + 60 * "a" + '" = "' + 60 * "b" + '" }', False), ('match = "' + 120 * "a" + '"', False)])
def test_a_long_line_is_found(line, is_long):
    assert long_lines(f"x = 1\n{line}\n") == ([2] if is_long else [])


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_sentences_are_short(page):
    most = FIRST_PAGES.get(page, WORDS)
    assert [sentence for sentence in sentences((ROOT / page).read_text()) if words(sentence) > most] == []


def test_a_long_sentence_is_found():
    text = "# Title\n\nShort one. " + 36 * "Word " + ".\n\n| cell | " + 36 * "x " + "|\n\n"
    text += "    " + 40 * "code " + "\n\n```\n" + 40 * "a " + "\n```\n"
    assert [words(sentence) for sentence in sentences(text) if words(sentence) > WORDS] == [36, 36]
