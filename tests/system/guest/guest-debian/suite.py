# SPDX-License-Identifier: GPL-2.0
"""Runs modules of Python's own test suite, and prints the outcome of each test in a line of its own.

    suite.py MODULE...
"""

import sys
import unittest

from test import support

# Uses no resources, as `python3 -m test` does by default: no network, no large tests.
support.use_resources = []
out = open(3, "w", encoding="ascii", buffering=1)


class Result(unittest.TestResult):
    """Prints outcomes; a test whose subtest fails has failed."""

    def __init__(self):
        super().__init__()
        self.outcome = ""

    def startTest(self, test):
        self.outcome = "ok"

    def addSkip(self, test, reason):
        self.outcome = "skipped"

    def addExpectedFailure(self, test, err):
        self.outcome = "fails as expected"

    def addError(self, test, err):
        self._bad(test, err)

    def addFailure(self, test, err):
        self._bad(test, err)

    def addSubTest(self, test, subtest, err):
        if err:
            self._bad(test, err)

    def _bad(self, test, err):
        self.outcome = "bad"
        print(test, self._exc_info_to_string(err, test), flush=True)

    def stopTest(self, test):
        print(test.id(), self.outcome, file=out)


for name in sys.argv[1:]:
    unittest.defaultTestLoader.loadTestsFromName(f"test.{name}").run(Result())
