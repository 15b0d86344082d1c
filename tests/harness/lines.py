# SPDX-License-Identifier: GPL-2.0
"""Counts lines of C and assembly without comments and blank lines.

    python3 -m tests.harness.lines --limit 8000 kernel hal entry host/linux --without kernel/guest.c
"""

import argparse
import re
import sys
from pathlib import Path

SUFFIXES = {".c", ".h", ".S"}
#: A string or character constant (kept), or a comment (dropped).
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)


def count(text: str) -> int:
    """Returns the number of lines that have code."""
    def keep(match: re.Match) -> str:
        token = match.group()
        return "\n" * token.count("\n") if token.startswith("/") else "x"
    return sum(bool(line.strip()) for line in TOKEN.sub(keep, text).splitlines())


def files(place: Path) -> list[Path]:
    """Returns the C and assembly files below a folder, or the named file."""
    found = place.rglob("*") if place.is_dir() else [place]
    return sorted(path for path in found if path.suffix in SUFFIXES)


def main(arguments: list[str]) -> int:
    """Prints lines by folder and in total. Returns 1 above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--without", nargs="+", type=Path, default=[])
    parser.add_argument("folders", nargs="+", type=Path)
    want = parser.parse_args(arguments)
    left_out = {path for place in want.without for path in files(place)}
    sums: dict[str, int] = {}
    for folder in want.folders:
        for path in (path for path in files(folder) if path not in left_out):
            place = str(path.parent)
            sums[place] = sums.get(place, 0) + count(path.read_text())
    for place, lines in sums.items():
        print(f"{lines:6}  {place}")
    total = sum(sums.values())
    print(f"{total:6}  lines of C and assembly" + (f", limit {want.limit}" if want.limit else ""))
    return int(bool(want.limit and total > want.limit))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
