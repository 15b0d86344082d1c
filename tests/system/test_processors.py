# SPDX-License-Identifier: GPL-2.0
"""Tests properties on processors with speculation bugs, with Linux's default mitigations.

TCG does not speculate. Therefore these tests show that the guarded entries (host/linux/beside/guard.S) are used, and
their cost, and that they change nothing else. The Intel model has page-table isolation (host/linux/isolate).
"""

import dataclasses
import os

import pytest

from tests.harness.property import discover, wanted
from tests.harness.system import Case, Runner

KERNELS = [kernel for kernel in wanted("KERNEL", "6.1 6.12") if not kernel.endswith("-debug")]
LONG = bool(os.environ.get("LIMPET_LONG"))

#: QEMU's models, with the kernel and the mode in which `make test` tries each. It does not try models with None, because
#: EPYC-v3 uses the same mitigations as EPYC-Rome, and EPYC-Genoa the same as EPYC-Milan. `make test-all` tries all models
#: on all kernels in all modes.
MODELS = {"EPYC-v3": None, "EPYC-Rome": ("6.12", "beneath"), "EPYC-Milan": ("6.1", "beside"), "EPYC-Genoa": None,
          "Skylake-Client-v4": ("6.12", "beside")}

#: Models that need a newer QEMU. They have only the properties that `make test` tries on the other models.
NEW = ("EPYC-Genoa",)

#: Models with page-table isolation, without guests and without AMD-V.
ISOLATED = ("Skylake-Client-v4",)

#: Additional properties of these models. `make test` tries the first one, and `make test-all` all, also with two
#: processors.
ISOLATED_PROPERTIES = {"hostile-access": True, "hostile-instructions": False, "hostile-stop": False, "host-signals": False,
                       "vector": False}

#: The properties in each mode, of which `make test` tries those that are true.
PROPERTIES = {
    "beside": {"mitigations": True, "hostile-calls": False, "attach-detach": False, "hostile-access": False,
               "hostile-leak": False, "linux-goes-on": False, "page-fault-multiplex": False, "guest-calls": False,
               "guest-programs": False, "guest-hostile": False},
    "beneath": {"mitigations": True, "hostile-calls": False, "hostile-leak": False, "beneath-attach": False,
                "beneath-run": False, "beneath-hostile": False}}


def on_model(found, model):
    """Returns the property with this processor and Linux's default command line. Features of its own -cpu remain."""
    features, qemu = "", found.qemu
    if "-cpu" in qemu:
        at = qemu.index("-cpu")
        features, qemu = qemu[at + 1].partition(",")[2], qemu[:at] + qemu[at + 2:]
    return dataclasses.replace(found, cpu=",".join(filter(None, (model, features))), qemu=qemu, nopti=False, shared=False,
                               newer_qemu=found.newer_qemu or model in NEW)


def cases(kernel, model, mode):
    """Returns the cases of each property on a model."""
    isolated = model in ISOLATED
    chosen = PROPERTIES[mode] | (ISOLATED_PROPERTIES if isolated else {})
    return [Case(on_model(found, model), kernel, cpus, mode)
            for found in discover()
            if found.name in chosen and ((LONG and model not in NEW) or chosen[found.name])
            and not (found.name.startswith("guest-") and isolated)
            for cpus in (found.cpus if isolated and LONG else (min(found.cpus),))]


@pytest.mark.parametrize("kernel, model, mode",
                         [(kernel, model, mode) for model, own in MODELS.items() for kernel in KERNELS for mode in PROPERTIES
                          if (LONG or (kernel, mode) == own or len(KERNELS) == 1)
                          and not (mode == "beneath" and model in ISOLATED)])
def test_processor(kernel, model, mode):
    """Checks that each property holds on the model."""
    wanted_cases = cases(kernel, model, mode)
    running = Runner(wanted_cases, f"{model}-")
    try:
        faults = [f"{case}: {fault}\n{outcome.report}" for case in wanted_cases
                  for outcome in [running.outcome(case)] for fault in outcome.faults]
    finally:
        running.close()
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)
