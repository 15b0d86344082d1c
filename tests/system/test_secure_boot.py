# SPDX-License-Identifier: GPL-2.0
"""Tests Limpet under Secure Boot: beside mode works with a signed module, and everything else is refused.

The machine's firmware verifies the kernel, which then is locked down. Its key also signs the module, as an owner's
enrolled key does.
"""

import os

import pytest

from tests.harness import secure_boot
from tests.harness.initramfs import Initramfs
from tests.harness.kernels import fetch
from tests.harness.property import BUILD, SYSTEM, limpet_files, wanted
from tests.harness.qemu import run

#: `make test` tests one kernel.
USUAL = "6.1 6.12" if os.environ.get("LIMPET_LONG") else "6.12"
KERNELS = [kernel for kernel in wanted("KERNEL", USUAL) if not kernel.endswith("-debug")]
IMAGES = ("control", "guest-probe")

SCRIPT = """#!/bin/sh
. /limpet/system.sh
. /limpet/guest.sh
check "Secure Boot locks the kernel down" "$(cat /sys/kernel/security/lockdown)" \\
	grep -qF '[integrity]' /sys/kernel/security/lockdown
limpet doctor >/tmp/doctor
check "doctor refuses the unsigned module" "$(cat /tmp/doctor)" \\
	grep -q '^module-signature  *refused .*is not signed' /tmp/doctor
equal "and nothing else" 1 "$(grep -cE '^[a-z0-9-]+ +refused' /tmp/doctor)"
refused "attach" 'The check module-signature refuses: .*limpet-dkms' limpet attach
refused "attach, forced" 'has no signature, or Linux does not trust its key' limpet attach --force-check module-signature
refused "a key that is not enrolled" 'has no signature, or Linux does not trust its key' limpet attach --module /unknown

mv /signed /limpet/limpet.ko
holds "doctor accepts the signed module" limpet doctor
limpet doctor >/tmp/doctor
check "doctor names beside mode alone" "$(cat /tmp/doctor)" \\
	grep -qx 'Limpet can attach: beside Linux, not beneath it.' /tmp/doctor
refused "attach beneath" 'The module refused: The kernel is locked down, .*beside' limpet attach --beneath
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"

for level in integrity confidentiality; do
	[ $level = integrity ] || echo $level >/sys/kernel/security/lockdown
	check "$level" "$(cat /sys/kernel/security/lockdown)" grep -qF "[$level]" /sys/kernel/security/lockdown
	attach
	start control
	check "$level: a loop runs" "$(since_mark | tail -n 3)" loop_continues
	holds "$level: a trace" limpet trace -o /tmp/trace-$level
	holds "$level: its system stops" limpet stop
	start guest-probe
	within 10 probe_ready || fail "$level: the executive serves guests" "$(limpet guest run true 2>&1)"
	equal "$level: a program runs as a guest" here "$(limpet guest run --executive probe echo here)"
	holds "$level: its executive stops" limpet stop
	holds "$level: detach" limpet detach
done
linux_is_well
finish
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_secure_boot(kernel, tmp_path):
    """Checks the verdicts of doctor and attach, and a loop and a guest on a kernel that is locked down."""
    module = BUILD / f"module-{kernel}/limpet.ko"
    for name, key in ("signed", secure_boot.enrolled(tmp_path)), ("unknown", secure_boot.unknown(tmp_path)):
        secure_boot.sign(fetch(kernel), key, module, tmp_path / name)
    root = Initramfs()
    for guest, host in limpet_files(kernel).items():
        root.file(host, guest)
    for name in ("signed", "unknown"):
        root.file(tmp_path / name, f"/{name}")
    for name in ("system.sh", "guest.sh"):
        root.file(SYSTEM / "lib" / name, f"/limpet/{name}")
    for image in IMAGES:
        root.file(BUILD / f"systems/{image}.limpet", f"/limpet/images/{image}.limpet")
    root.text("/limpet/run.sh", SCRIPT)
    result = run(secure_boot.machine(kernel, tmp_path, timeout=300), root, f"secure-boot-{kernel}")
    assert not result.faults(), result.report()
