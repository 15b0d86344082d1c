# SPDX-License-Identifier: GPL-2.0
"""Tests G1, G4 and the table of figures: the figures of `make bench` meet their requirements.

They include the cost of an invocation and of a dispatch, and the 1 kHz loop next to cyclictest and a waiting thread. The null system call
of any other Linux process, and the switch between two, must not take one more instruction before, during and after.
"""

import os

import pytest

from bench.musts import required, verdicts
from bench.run import SUITES, measure
from tests.harness.property import wanted

KERNELS = [kernel for kernel in wanted("KERNEL", "6.1 6.12") if not kernel.endswith("-debug")]

LONG = bool(os.environ.get("LIMPET_LONG"))

#: `make test` runs short suites on the first kernel only. `make test-all` runs all suites on all kernels.
QUICK = ("host", "table1", "fault", "sched", "trace", "table2", "table2-beneath", "exec")
#: Suites that `make test-all` measures with all samples, as `make bench` does, because some of their requirements need
#: them. The others have the same requirements with fewer samples.
FULL = {"exec", "table1"} if LONG else set()
#: Numbers of CPUs of a suite for `make test-all`. All other runs have one CPU.
CPUS = {"scale": (1, 2, 8)} if LONG else {}


def suites(kernel):
    """Returns the suites that are measured on a kernel."""
    return SUITES if LONG else QUICK if kernel == KERNELS[0] else ()


def runs():
    """Returns a kernel, a suite and a number of CPUs for each measurement."""
    for kernel in KERNELS:
        for suite in suites(kernel):
            for cpus in CPUS.get(suite, (1,)):
                name = f"{kernel}-{suite}" + (f"-{cpus}cpus" if cpus > 1 else "")
                yield pytest.param(kernel, suite, cpus, id=name)


@pytest.mark.parametrize("kernel, suite, cpus", runs())
def test_figures(kernel, suite, cpus, record_property):
    """Checks that every requirement of the suite holds on the kernel, counted."""
    quick = suite not in FULL
    figures = measure(suite, kernel, cpus, quick=quick)
    found = verdicts(figures)
    for verdict in found:
        record_property(f"{verdict.case} {verdict.subject}", verdict.must)
    assert len(found) == required(suite, figures, quick)
    assert not [verdict for verdict in found if not verdict.holds]
