# SPDX-License-Identifier: GPL-2.0
"""Tests H2: an unsuitable machine is refused, with reason and remedy, and without a change.

Each case boots a machine. `limpet doctor` names the check, and `limpet attach` refuses with one line. When the check is
forced, the module or Linux itself still refuses.
"""

import dataclasses
import os

import pytest

from tests.harness.initramfs import Initramfs
from tests.harness.property import SYSTEM, limpet_files, wanted
from tests.harness.qemu import Machine, run

KERNELS = [kernel for kernel in wanted("KERNEL", "6.1 6.12") if not kernel.endswith("-debug")]
#: `make test` tries each machine on one kernel, because the checks do not depend on it.
MACHINE_KERNELS = KERNELS if os.environ.get("LIMPET_LONG") else KERNELS[-1:]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A machine, the failed check of doctor, and the refusal when it is forced."""

    check: str
    forced: str             # words of the refusal's line
    machine: dict
    before: str = ":"       # a command
    newer: bool = False     # 6.1 cannot be refused for this reason


REFUSALS = {
    # Only the kernel's own loader switches to five levels.
    "five-levels-isolated": Refusal("page-table-isolation", "have five levels.*--trust-components",
                                    {"pti": True, "loader": True}),
    "nofsgsbase": Refusal("fsgsbase", "FSGSBASE is not in use", {"append": "nofsgsbase"}),
    "processor-without-fsgsbase": Refusal("fsgsbase", "FSGSBASE is not in use",
                                          {"qemu": ("-cpu", "max,-fsgsbase")}),
    "noxsave": Refusal("xsave", "XSAVE is not in use", {"append": "noxsave"}),
    "processor-without-xsave": Refusal("xsave", "XSAVE is not in use",
                                       {"qemu": ("-cpu", "max,-xsave")}),
    "lockdown": Refusal("module-signature", "locked down", {"append": "lockdown=integrity"}),
    "signed-modules-only": Refusal("module-signature", "signature|signed",
                                   {"append": "module.sig_enforce=1"}),
    "counted-calls": Refusal("retbleed", "Linux counts calls.*--trust-components",
                             {"qemu": ("-cpu", "Skylake-Client-v4"), "append": "retbleed=stuff spectre_v2=retpoline"},
                             newer=True),
    "no-modules": Refusal("module-loading", "not permitted|modules_disabled", {},
                          "echo 1 >/proc/sys/kernel/modules_disabled"),
}

SCRIPT = """#!/bin/sh
. /limpet/system.sh
{before}
limpet doctor >/tmp/doctor
equal "doctor's exit code" 1 $?
check "doctor refuses {check}" "$(cat /tmp/doctor)" grep -qE '^{check} +refused' /tmp/doctor
equal "and nothing else" 1 "$(grep -cE '^[a-z0-9-]+ +refused' /tmp/doctor)"
check "with a reason" "$(cat /tmp/doctor)" grep -q ' why: ' /tmp/doctor
check "and a remedy" "$(cat /tmp/doctor)" grep -q ' do:  ' /tmp/doctor
refused "attach" 'The check {check} refuses: .+\\. .+\\.' limpet attach
refused "attach, forced" '{forced}' limpet attach --force-check {check}
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"
check "no device is left" "$(ls /dev/limpet 2>/dev/null)" [ ! -e /dev/limpet/control ]
finish
"""


def guest_root(kernel: str, script: str) -> Initramfs:
    """Returns a root file system with Limpet, the shared functions of properties' scripts, and a script."""
    root = Initramfs()
    for guest, host in limpet_files(kernel).items():
        root.file(host, guest)
    root.file(SYSTEM / "lib/system.sh", "/limpet/system.sh")
    root.text("/limpet/run.sh", script)
    return root


def judge(machine: Machine, root: Initramfs, name: str) -> None:
    """Boots the machine and checks that all checks of its script arrived and passed."""
    result = run(machine, root, name)
    assert not result.faults(), result.report()


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("kernel", MACHINE_KERNELS)
def test_refused(kernel, name):
    """Checks that doctor, attach and the module refuse the machine."""
    refusal = REFUSALS[name]
    if refusal.newer and kernel.split("-")[0] == "6.1":
        pytest.skip("6.1 does not have it")
    script = SCRIPT.format(check=refusal.check, forced=refusal.forced, before=refusal.before)
    judge(Machine(kernel=kernel, **refusal.machine), guest_root(kernel, script), f"refused-{name}-{kernel}")


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel == "6.1"])
def test_beneath_is_refused(kernel):
    """Checks that beneath mode is refused where Linux flushes the predictor when a virtual machine exits.

    Newer kernels need a feature for it that QEMU does not know.
    """
    script = """#!/bin/sh
. /limpet/system.sh
file=/sys/devices/system/cpu/vulnerabilities/spec_rstack_overflow
check "Linux's mitigation" "$(cat $file)" grep -q 'IBPB on VMEXIT' $file
limpet doctor >/tmp/doctor
check "doctor" "$(cat /tmp/doctor)" grep -qE '^beneath +note +not possible now' /tmp/doctor
refused "attach beneath" 'exit of a virtual machine.*ibpb-vmexit' limpet attach --beneath
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"
holds "attach beside" limpet attach
holds "detach" limpet detach
finish
"""
    machine = Machine(kernel=kernel, append="spec_rstack_overflow=ibpb-vmexit",
                      qemu=("-cpu", "EPYC-Milan,x-force-features=on,-xsaves,-xsavec,-pcid,-invpcid,+ibpb"))
    judge(machine, guest_root(kernel, script), f"refused-beneath-{kernel}")


@pytest.mark.parametrize("kernel", KERNELS)
def test_module_of_another_kernel_is_refused(kernel):
    """Checks that attach prints one line and leaves Linux unchanged."""
    other = "6.12" if kernel.startswith("6.1") and not kernel.startswith("6.12") else "6.1"
    script = """#!/bin/sh
. /limpet/system.sh
refused "attach" "The module was built for kernel [^ ]*, but $(uname -r | tr + .) runs" limpet attach
echo "not a module, vermagic=6.1.0" >/tmp/garbage.ko
: >/tmp/empty.ko
for name in garbage empty; do
	refused "attach a file that is $name" "/tmp/$name.ko: The file is not a kernel module for x86-64. Name limpet.ko" \\
		limpet attach --module /tmp/$name.ko
done
refused "attach a missing file" '/tmp/none.ko: No such file' limpet attach --module /tmp/none.ko
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"
finish
"""
    judge(Machine(kernel=kernel), guest_root(other, script), f"refused-other-{kernel}")
