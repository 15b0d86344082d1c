# SPDX-License-Identifier: GPL-2.0
"""Tests properties on processors with speculation bugs, with Linux's default mitigations.

The counts are those of `make test`, because the full counts of `make test-all` are for the mechanisms that all processors
share. TCG does not speculate. Therefore these tests show that the guarded entries (host/linux/beside/guard.S) are used,
and their cost, and that they change nothing else. The Intel model has page-table isolation (host/linux/isolate).
"""

import dataclasses
import os

import pytest

from tests.harness.kernels import NEWER
from tests.harness.property import pick, wanted
from tests.harness.system import Case, Runner

KERNELS = [kernel for kernel in wanted("KERNEL", "6.1 6.12") if not kernel.endswith("-debug")]
LONG = bool(os.environ.get("LIMPET_LONG"))

#: QEMU's models, with the kernel and the mode in which `make test` tries each. It does not try models with None, because
#: EPYC-v3 uses the same mitigations as EPYC-Rome, and EPYC-Genoa the same as EPYC-Milan. `make test-all` tries all models
#: on all kernels in all modes.
MODELS = {"EPYC-v3": None, "EPYC-Rome": ("6.12", "beneath"), "EPYC-Milan": ("6.1", "beside"), "EPYC-Genoa": None,
          "Skylake-Client-v4": ("6.12", "beside"), "trusted": None, "IBPB": ("6.12", "beside"), "BHI": None,
          "IBRS": ("6.1", "beside")}

#: Features of Skylake that QEMU does not emulate. x-force-features would add them.
NOT_EMULATED = "-xsaves,-xsavec,-pcid,-invpcid,-tsc-deadline"

#: Switches off Linux's mitigation of indirect target selection. On this model with all features, 6.12 then writes to
#: executable pages and warns of that ("CPA detected W^X violation"), at boot and when it loads any module.
NO_TARGET_SELECTION = "indirect_target_selection=off"

#: Models with a command line, or with features that QEMU's model lacks: the processor and the command line. Linux
#: chooses other mitigations there. x-force-features adds all features of the model, so those that QEMU does not emulate
#: are removed. `make test` runs only mitigation-steps on them, and BHI's as a property. lib/system.sh reads
#: limpet.trust.
COMMAND_LINES = {
    "trusted": ("Skylake-Client-v4", "limpet.trust"),
    "IBPB": ("EPYC-Rome,x-force-features=on,-xsaves,-xsavec,+ibpb", "retbleed=ibpb"),
    "BHI": ("Skylake-Client-v4", "spectre_v2=retpoline,lfence pti=off"),
    "IBRS": (f"Skylake-Client-v4,x-force-features=on,{NOT_EMULATED},+spec-ctrl", "spectre_v2=ibrs"),
}

#: Kernels in NEWER warn at boot with the command line of this model, also without Limpet.
NO_NEWER = ("BHI",)

#: Models that need a newer QEMU.
NEW = ("EPYC-Genoa",)

#: Models with page-table isolation, without guests and without AMD-V.
ISOLATED = ("Skylake-Client-v4", "trusted", "IBRS")

#: Models on which beneath mode is refused, or that have no AMD-V.
BESIDE = (*ISOLATED, *COMMAND_LINES)

#: Properties of these models, in addition to PROPERTIES or instead of the same there. `make test` tries those that are
#: true, and `make test-all` all, also with two processors.
ISOLATED_PROPERTIES = {"hostile-access": True, "hostile-calls": False, "hostile-instructions": False, "host-signals": False,
                       "vector": False}

#: This property declares a model and a command line of its own. It is not for models without mitigations at entries.
STEPS = "mitigation-steps"
NO_STEPS = ("Skylake-Client-v4", "trusted")

#: The properties in each mode, of which `make test` tries those that are true: attach, run, stop and detach with the
#: cost of the mitigations, and a hostile component.
PROPERTIES = {
    "beside": {"mitigations": True, STEPS: False, "hostile-calls": True, "attach-detach": False, "hostile-access": False,
               "hostile-leak": False, "hostile-stop": False, "linux-goes-on": False, "page-fault-multiplex": False,
               "guest-calls": False, "guest-programs": False, "guest-hostile": False},
    "beneath": {"mitigations": True, "hostile-calls": True, "hostile-access": False, "hostile-leak": False,
                "hostile-stop": False, "beneath-attach": False, "beneath-run": False, "beneath-hostile": False}}

#: The properties that some model needs.
FOUND = pick(name for chosen in (ISOLATED_PROPERTIES, *PROPERTIES.values()) for name in chosen)


def on_model(found, model):
    """Returns the property with this processor and Linux's command line for it. Features of its own -cpu remain."""
    processor, append = COMMAND_LINES.get(model, (model, ""))
    features, qemu = "", found.qemu
    if "-cpu" in qemu:
        at = qemu.index("-cpu")
        features, qemu = qemu[at + 1].partition(",")[2], qemu[:at] + qemu[at + 2:]
        if "x-force-features" in features and model in ISOLATED:
            features += f",{NOT_EMULATED}"
            append = f"{append} {NO_TARGET_SELECTION}".strip()
    return dataclasses.replace(found, cpu=",".join(filter(None, (processor, features))), qemu=qemu, nopti=False,
                               append=append if found.name == STEPS else f"{found.append} {append}".strip(), shared=False,
                               newer_qemu=found.newer_qemu or model in NEW)


def cases(kernel, model, mode):
    """Returns the cases of each property on a model."""
    isolated = model in ISOLATED
    chosen = PROPERTIES[mode] | (ISOLATED_PROPERTIES if isolated else {})
    return [Case(on_model(found, model), kernel, cpus, mode, short=True)
            for found in FOUND
            if found.name in chosen and (LONG or (found.name == STEPS if model in COMMAND_LINES else chosen[found.name]))
            and not (found.name == STEPS and model in NO_STEPS) and not (found.name.startswith("guest-") and isolated)
            for cpus in (found.cpus if isolated and LONG else (min(found.cpus),))]


@pytest.mark.parametrize("kernel, model, mode",
                         [(kernel, model, mode) for model, own in MODELS.items() for kernel in KERNELS for mode in PROPERTIES
                          if (LONG or (kernel, mode) == own or len(KERNELS) == 1)
                          and not (mode == "beneath" and model in BESIDE) and not (model in NO_NEWER and kernel in NEWER)
                          and cases(kernel, model, mode)])
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
