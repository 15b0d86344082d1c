# SPDX-License-Identifier: GPL-2.0
"""The newest kernel in Debian's archive: some properties hold on it. `KERNEL=newest` runs all of them.

When Debian has a kernel that is newer than any that Limpet was ported to, the build of the module says so, and that is
all that is tested until host/linux/compat.h knows it.
"""

import re
import subprocess
from pathlib import Path

import pytest

from tests.harness.kernels import fetch
from tests.harness.property import discover
from tests.harness.system import Case, Runner

TOP = Path(__file__).parents[2]

#: The properties in each mode.
PROPERTIES = {"beside": ("host-signals", "guest-calls"), "beneath": ("beneath-run",)}


def last_known():
    """Returns the version below which the module can be built."""
    found = re.search(r">= KERNEL_VERSION\((\d+), (\d+), 0\)\n#error", (TOP / "host/linux/compat.h").read_text())
    return int(found[1]), int(found[2])


def test_newest():
    """The module builds for it and the properties hold, or the build says that the kernel is too new."""
    release = re.match(r"(\d+)\.(\d+)", fetch("newest").release)
    known = (int(release[1]), int(release[2])) < last_known()
    built = subprocess.run(["make", "-s", "build/module-newest/limpet.ko", "build/probe-newest/probe.ko"], cwd=TOP,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if not known:
        assert built.returncode and "Limpet attaches to Linux 6.1 to" in built.stdout, built.stdout
        return
    assert not built.returncode and "warning: objtool" not in built.stdout, built.stdout
    cases = [Case(found, "newest", min(found.cpus), mode) for mode, names in PROPERTIES.items()
             for found in discover() if found.name in names]
    running = Runner(cases)
    try:
        faults = [f"{case}: {fault}\n{outcome.report}" for case in cases
                  for outcome in [running.outcome(case)] for fault in outcome.faults]
    finally:
        running.close()
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
