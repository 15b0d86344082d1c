# SPDX-License-Identifier: GPL-2.0
"""Runs the system tests. tests/harness/README.md describes properties."""

import pytest


def test_property(case, runner, record_property):
    """Checks that the property holds: all its verdicts are good, and it has completed."""
    outcome = runner.outcome(case)
    record_property("verdicts", len(outcome.verdict.tests))
    record_property("seconds", outcome.elapsed)
    for figure in outcome.verdict.figures:
        record_property("figure", figure)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    if outcome.faults:
        pytest.fail("\n".join([*outcome.faults, outcome.report]), pytrace=False)
