# SPDX-License-Identifier: GPL-2.0
"""Tests some properties on the newest kernel in Debian's archive. `KERNEL=newest` runs all of them.

When Debian has a kernel that is newer than any that Limpet was tried on, attach refuses it without --untried. Only this
is tested until shared/module/expects.h allows that kernel. The test is skipped if the module does not build for it.
"""

import re
import subprocess
from pathlib import Path

import pytest

from tests.harness.kernels import fetch
from tests.harness.property import pick
from tests.harness.system import Case, Runner

TOP = Path(__file__).parents[2]

#: The properties in each mode.
PROPERTIES = {"beside": ("host-signals", "guest-calls", "untried"), "beneath": ("beneath-run",)}
#: The properties of a kernel that Limpet was not tried on.
UNTRIED = {"beside": ("untried",)}


def first_untried():
    """Returns the first release that Limpet was not tried on."""
    text = (TOP / "shared/module/expects.h").read_text()
    return tuple(int(re.search(rf"LIMPET_UNTRIED_{part} (\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def test_newest():
    """Checks that the module builds and the properties hold. If Limpet was not tried on it, attach refuses it."""
    release = re.match(r"(\d+)\.(\d+)", fetch("newest").release)
    known = (int(release[1]), int(release[2])) < first_untried()
    built = subprocess.run(["make", "-s", "build/module-newest/limpet.ko", "build/probe-newest/probe.ko"], cwd=TOP,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    if not known and built.returncode and "warning: objtool" not in built.stdout:
        pytest.skip("the module does not build for this kernel, on which Limpet was not tried")
    assert not built.returncode, built.stdout
    cases = [Case(found, "newest", min(found.cpus), mode) for mode, names in (PROPERTIES if known else UNTRIED).items()
             for found in pick(names)]
    running = Runner(cases)
    try:
        faults = [f"{case}: {fault}\n{outcome.report}" for case in cases
                  for outcome in [running.outcome(case)] for fault in outcome.faults]
    finally:
        running.close()
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
