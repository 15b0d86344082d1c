# SPDX-License-Identifier: GPL-2.0
"""Sums up a folder of JUnit XML files. The last line is `N passed, N failed`.

    python3 -m tests.harness.summary build/results STATUS

STATUS is the exit code of `make`. A failure that no test shows (of the build, or of the format check) counts as one
more failed test. Exit code 1 if a test failed or none ran.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def tally(report: Path) -> tuple[int, int]:
    """Returns (passed, failed) of one file. Skipped tests are in neither number."""
    passed = failed = 0
    try:
        cases = list(xml.parse(report).iter("testcase"))
    except xml.ParseError:
        return 0, 1
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is None:
            passed += 1
    return passed, failed


def main(arguments: list[str]) -> int:
    """Prints the failed tests and the sum."""
    folder, status = Path(arguments[0]), int(arguments[1])
    passed = failed = 0
    for report in sorted(folder.glob("*.xml")):
        one = tally(report)
        passed, failed = passed + one[0], failed + one[1]
        if one[1]:
            print(f"failed: {one[1]} in {report}")
    if status and not failed:
        print(f"failed: make (status {status}), outside the tests")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
