# SPDX-License-Identifier: GPL-2.0
"""Prints where the time of a test run went, from its JUnit XML files, as tables for README.md.

    python3 -m tests.harness.cost build/results [COUNT]

The first table has a row for each report of pytest, and one for all cmocka programs: the wall time, and the sum of the
cases, which is more if they ran side by side. The second one has the COUNT (default: 30) longest cases. The time of a property is that of its run.sh,
without the start of its guest.
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

LONGEST = 30
CMOCKA = re.compile(r"-\d+$")    # of the names of the reports of tests/harness/cmocka.py


def case_seconds(case: xml.Element) -> float:
    """Returns the seconds of a case. A property's own number replaces the time for which pytest waited."""
    for found in case.iter("property"):
        if found.get("name") == "seconds":
            return float(found.get("value"))
    return float(case.get("time", 0))


def read(report: Path) -> tuple[float, list[tuple[float, str]]]:
    """Returns the wall time of a report, and the seconds and name of each of its cases. Both are 0 or empty if the file
    is not complete."""
    try:
        root = xml.parse(report).getroot()
    except xml.ParseError:      # a run that was interrupted
        return 0, []
    wall = sum(float(suite.get("time", 0)) for suite in root.iter("testsuite"))
    return wall, [(case_seconds(case), case.get("name", "")) for case in root.iter("testcase")]


def table(heads: tuple, rows: list[tuple]) -> str:
    """Returns a table in Markdown."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [heads, ["---"] * len(heads), *rows])


def main(arguments: list[str]) -> int:
    """Prints both tables. Exit code 1: the folder has no report with a time."""
    folder, count = Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else LONGEST
    reports: dict[str, tuple[float, list]] = {}
    for path in sorted(folder.glob("*.xml")):
        name = "cmocka programs" if CMOCKA.search(path.stem) else path.stem
        before, (wall, cases) = reports.get(name, (0, [])), read(path)
        if wall:
            reports[name] = before[0] + wall, before[1] + cases
    if not reports:
        print(f"{folder} has no report with a time", file=sys.stderr)
        return 1
    print(table(("report", "cases", "wall time, s", "sum of its cases, s"),
                [(name, len(cases), f"{wall:.0f}", f"{sum(seconds for seconds, _ in cases):.0f}")
                 for name, (wall, cases) in reports.items()]))
    longest = sorted(((seconds, name, report) for report, (_, cases) in reports.items() for seconds, name in cases),
                     reverse=True)[:count]
    print()
    print(table(("case", "report", "s"), [(name, report, f"{seconds:.1f}") for seconds, name, report in longest]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
