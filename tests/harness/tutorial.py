# SPDX-License-Identifier: GPL-2.0
"""Reads the tutorials: their blocks, and whether a printed output is the one that a page shows."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs/tutorial"
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
#: Rows of `limpet hist`, which can be more or fewer in another run.
ROWS = re.compile(r"(?:^ +\d+ - \d+ .*\n?)+", re.MULTILINE)


def blocks(page):
    """Returns kind, word after the kind, and text of each block of a page.

    Commands have the kind `sh`, and the word `checkout` if only a checkout needs them. Outputs have the kind `output`,
    and the word `measured` if their numbers can differ. The other blocks are files, and the word is their path.
    """
    return BLOCK.findall((FOLDER / f"{page}.md").read_text())


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


def shows(seen, word, text):
    """Returns whether the printed lines have the output of a block."""
    return bool(measured(text).search(seen)) if word == "measured" else text.strip() in seen
