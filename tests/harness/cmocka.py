# SPDX-License-Identifier: GPL-2.0
"""Runs cmocka test programs, one line each, results as XML for the summary.

    python3 -m tests.harness.cmocka build/results build/unit/gate ...
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from .summary import tally

#: Seconds of a processor for one program; it may wait for that on a loaded machine.
LIMIT, PATIENCE = 60, 600


def run(program: Path, results: Path) -> bool:
    """Run one program; True if all its tests passed."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CMOCKA_MESSAGE_OUTPUT": "xml",
                                    "CMOCKA_XML_FILE": f"{folder}/%g.xml"}
        try:
            done = subprocess.run([program.resolve()], env=environment, timeout=PATIENCE,
                                  preexec_fn=_limit,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace")
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            status, output = -1, f"no end within {PATIENCE} s"
        passed = failed = 0
        for number, report in enumerate(sorted(Path(folder).glob("*.xml"))):
            text = report.read_text()
            one = tally(report)
            passed, failed = passed + one[0], failed + one[1]
            (results / f"{program.name}-{number}.xml").write_text(text)
            output += text if one[1] else ""
    if not passed + failed or (status and not failed):
        failed += 1     # it crashed, or tested nothing
        (results / f"{program.name}-ended.xml").write_text(
            f'<testsuite><testcase name="{program.name}"><failure/></testcase></testsuite>')
    print(f"{program}: {passed} passed, {failed} failed" + f" (status {status})" * bool(status))
    if failed:
        print(output)
    return not failed


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))


def main(arguments: list[str]) -> int:
    """Run all; exit code 1 if a test failed."""
    results = Path(arguments[0])
    results.mkdir(parents=True, exist_ok=True)
    good = [run(Path(program), results) for program in arguments[1:]]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
