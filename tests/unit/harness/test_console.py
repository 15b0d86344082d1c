# SPDX-License-Identifier: GPL-2.0
"""Which console lines count as trouble."""

import pytest

from tests.harness.console import of_kernel, splat

TROUBLE = {
    "panic": "Kernel panic - not syncing: Fatal exception",
    "KASAN": "BUG: KASAN: slab-out-of-bounds in foo+0x1/0x2",
    "lockdep": "WARNING: possible circular locking dependency detected",
    "soft lockup": "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [sh:71]",
    "RCU stall": "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
    "hung task": "INFO: task limpet:71 blocked for more than 120 seconds.",
    "page table check": "BUG: Bad rss-counter state mm:x type:MM_ANONPAGES val:1",
    "BUG": "BUG: sleeping function called from invalid context at mm/x.c:1",
    "WARNING": "WARNING: CPU: 1 PID: 7 at kernel/x.c:12 foo+0x1/0x2",
    "oops": "Oops: 0002 [#1] PREEMPT SMP",
}


@pytest.mark.parametrize("kind", TROUBLE)
def test_trouble_is_named(kind):
    """Each kind, with and without a CPU in the stamp."""
    assert splat(f"[    1.234567] {TROUBLE[kind]}") == kind
    assert splat(f"[    1.234567][   T12] {TROUBLE[kind]}") == kind


@pytest.mark.parametrize("line", [
    "WARNING: what a program says",
    "[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled",
    "[    1.0] limpet: attached",
    "[    1.0] Debugging information follows",
    "",
])
def test_harmless_lines(line):
    """Programs' words, and warnings about the machine, are not trouble."""
    assert splat(line) is None


def test_kernel_lines():
    """Told apart by the stamp."""
    assert of_kernel("[   12.345678] x") and not of_kernel("[x] 12")
