# SPDX-License-Identifier: GPL-2.0
"""Runs cmocka test programs, one line each, results as XML for the summary.

    python3 -m tests.harness.cmocka build/results build/unit/gate ...
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .summary import tally

#: Maximum processor seconds of one program, and maximum wall seconds, because the machine may be loaded.
LIMIT, PATIENCE = 60, 600


def run(program: Path, results: Path) -> tuple[bool, str]:
    """Runs one program. Returns whether all its tests passed, and the text to print."""
    with tempfile.TemporaryDirectory() as folder:
        status, output = _run(program, folder)
        passed = failed = 0
        for number, report in enumerate(sorted(Path(folder).glob("*.xml"))):
            text = report.read_text()
            one = tally(report)
            passed, failed = passed + one[0], failed + one[1]
            (results / f"{program.name}-{number}.xml").write_text(text)
            output += text if one[1] else ""
    if not passed + failed or (status and not failed):
        failed += 1     # it crashed, or ran no tests
        (results / f"{program.name}-ended.xml").write_text(
            f'<testsuite><testcase name="{program.name}"><failure/></testcase></testsuite>')
    line = f"{program}: {passed} passed, {failed} failed" + f" (status {status})" * bool(status)
    return not failed, f"{line}\n{output}" if failed else line


def _run(program: Path, folder: str) -> tuple[int, str]:
    """Returns status and output of a program that writes its reports to a folder. The status is -1 after a timeout."""
    environment = os.environ | {"CMOCKA_MESSAGE_OUTPUT": "xml",
                                "CMOCKA_XML_FILE": f"{folder}/%g.xml"}
    try:
        words = ["prlimit", f"--cpu={LIMIT}:{LIMIT + 1}", program.resolve()]
        done = subprocess.run(words, env=environment, timeout=PATIENCE, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return -1, f"no end within {PATIENCE} s"
    return done.returncode, done.stdout


def main(arguments: list[str]) -> int:
    """Runs the programs, one on each processor, and prints results in the given order. Returns 1 if a test failed."""
    results, good = Path(arguments[0]), True
    results.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for passed, text in pool.map(lambda program: run(Path(program), results), arguments[1:]):
            print(text, flush=True)
            good = good and passed
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
