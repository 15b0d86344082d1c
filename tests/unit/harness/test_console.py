# SPDX-License-Identifier: GPL-2.0
"""Tests which console lines count as trouble."""

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
    "MSR": "unchecked MSR access error: RDMSR from 0x123 at rIP: 0xffffffff81000000 (foo+0x1/0x2)",
    "deprecated": "workqueue: work func wake [limpet] enqueued on deprecated workqueue. Use system_dfl_wq instead.",
    "oops": "Oops: 0002 [#1] PREEMPT SMP",
}


@pytest.mark.parametrize("kind", TROUBLE)
def test_trouble_is_named(kind):
    """Each kind is found, with and without a CPU in the stamp."""
    assert splat(f"[    1.234567] {TROUBLE[kind]}") == kind
    assert splat(f"[    1.234567][   T12] {TROUBLE[kind]}") == kind


@pytest.mark.parametrize("kind, text", [
    ("lockdep", "WARNING: possible recursive locking detected"),
    ("lockdep", "WARNING: suspicious RCU usage"),
    ("lockdep", "WARNING: inconsistent lock state"),
    ("lockdep", "WARNING: bad unlock balance detected!"),
    ("lockdep", "WARNING: lock held when returning to user space!"),
    ("lockdep", "[ BUG: Invalid wait context ]"),
    ("lockdep", "INFO: trying to register non-static key."),
    ("WARNING", "WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected"),
    ("BUG", "BUG: using smp_processor_id() in preemptible [00000000] code: sh/71"),
    ("BUG", "BUG: scheduling while atomic: sh/71/0x00000002"),
    ("BUG", "BUG: MAX_LOCKDEP_CHAINS too low!"),
    ("BUG", "BUG kmalloc-64 (Tainted: G           O      ): Left Redzone overwritten"),
])
def test_checkers_of_the_debug_kernel(kind, text):
    """Reports of lockdep, RCU, and the checks of contexts and memory are found."""
    assert splat(f"[    1.234567] {text}") == kind


@pytest.mark.parametrize("line", [
    "WARNING: what a program says",
    "[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled",
    "[    1.0] limpet: attached",
    "[    1.0] Debugging information follows",
    "",
])
def test_harmless_lines(line):
    """Output of programs, and warnings about the machine, are not trouble."""
    assert splat(line) is None


def test_kernel_lines():
    """Lines of the kernel have a time stamp."""
    assert of_kernel("[   12.345678] x") and not of_kernel("[x] 12")
