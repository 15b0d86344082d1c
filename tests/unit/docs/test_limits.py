# SPDX-License-Identifier: GPL-2.0
"""Compares the page of limits with the header that defines them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/limits.md").read_text()
HEADER = (ROOT / "include/limpet/limits.h").read_text()
UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
#: Constants in frames of 4,096 bytes, and sizes of names with their final 0. LIMPET_SYSTEM_ANY is not a limit.
FRAMES = {"LIMPET_FRAMES_MAX", "LIMPET_QUOTA_MAX"}
NAMES = {"LIMPET_NAME_MAX", "LIMPET_SYMBOL_NAME_MAX", "LIMPET_INTERFACE_NAME_MAX"}
OTHERS = {"LIMPET_SYSTEM_ANY"}


def constants() -> dict[str, int]:
    """Returns the header's constants, in bytes if they are sizes, and without the final 0 of names."""
    found = re.findall(r"^#define (LIMPET_\w+)\s+\\?\s*([(0-9].*?)\s*(?:/\*|$)", HEADER, re.M)
    values = {name: eval(re.sub(r"(?<=[0-9a-f])u?l?\b", "", text))     # pylint: disable=eval-used
              for name, text in found if name not in OTHERS}
    return {name: value * 4096 if name in FRAMES else value - (name in NAMES) for name, value in values.items()}


def numbers(text: str) -> set[int]:
    """Returns the numbers in a cell: `8 to 256`, `4 to 64 KiB`, `1,024`."""
    last = next((factor for name, factor in UNITS.items() if text.endswith(name)), 1)
    return {int(number.replace(",", "")) * factor for number, unit in re.findall(r"(\d[\d,]*)(?: (\w+))?", text)
            for factor in {1, UNITS.get(unit, last)}}


def rows() -> list[tuple[str, list[str]]]:
    """Returns the value and the constants of each row."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
    return [(row[1], re.findall(r"`(LIMPET_\w+)`", row[2])) for row in cells if len(row) == 4]


def test_each_constant_has_a_row_with_its_value():
    known = constants()
    assert len(known) > 40
    named = [name for _, names in rows() for name in names]
    assert sorted(named) == sorted(known)
    wrong = [f"{name} is {known[name]}, not {value}" for value, names in rows() for name in names
             if known[name] not in numbers(value)]
    assert not wrong, wrong


def test_numbers_of_cells():
    assert numbers("4 KiB to 16 MiB") >= {4096, 16 << 20} and numbers("4 to 64 KiB") >= {4096, 65536}
    assert 8 in numbers("8 to 256, default 28") and 1024 in numbers("1,024")
