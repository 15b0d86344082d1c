# SPDX-License-Identifier: GPL-2.0
"""Tests the harness on real guests: it must detect failures, and end the guests."""

import os
import signal

from tests.harness.initramfs import Initramfs
from tests.harness.qemu import Guest, Machine, run


def guest_root(command: str) -> Initramfs:
    """Returns a root file system that runs one line of shell."""
    root = Initramfs()
    root.text("/limpet/run.sh", f"#!/bin/sh\n. /limpet/verdict.sh\n{command}\n")
    return root


def test_panic_is_reported_with_registers():
    """Checks that a panic ends the run with console, reason and registers."""
    result = run(Machine(kernel="6.12"), guest_root("echo c >/proc/sysrq-trigger"), "t-panic")
    assert not result.ok
    assert result.reason.startswith("panic: ") and "sysrq" in result.reason
    assert "RIP=" in result.registers and "CR3=" in result.registers
    assert "Call Trace" in result.report()


def test_hang_ends_in_time():
    """Checks that a guest that hangs ends at its time limit, with the registers of all CPUs."""
    result = run(Machine(kernel="6.12", cpus=2, timeout=12),
                 guest_root("while :; do :; done"), "t-hang")
    assert result.reason == "timeout of 12 s" and not result.ok
    assert "CPU#1" in result.registers
    assert result.elapsed < 200     # includes waiting for a slot, which may take long


def test_crash_of_the_emulator_is_named():
    """Checks that the signal that killed the emulator is reported, because it is the emulator's defect."""
    with Guest(Machine(kernel="6.12"), guest_root("echo '{\"ready\": 1}' >/dev/verdict; sleep 100"), "t-crash") as guest:
        assert guest.wait_record("ready")
        os.kill(guest.process.pid, signal.SIGSEGV)
        result = guest.finish()
    assert result.reason == "qemu died of SIGSEGV" and not result.ok


def test_warning_fails_the_run():
    """Checks that a kernel warning fails an otherwise successful run, and that a program's does not."""
    warn = "echo '<4>WARNING: CPU: 0 PID: 1 at mm/x.c:1' >/dev/kmsg; sleep 1"
    warn = f"pass before; drain; usleep 500000; {warn}; pass after"
    result = run(Machine(kernel="6.12"), guest_root(warn), "t-warning")
    assert result.reason.startswith("WARNING: ") and not result.ok
    assert result.trouble == result.reason and len(result.records) > result.trouble_at == 1
    result = run(Machine(kernel="6.12"), guest_root("echo WARNING: not so"), "t-no-warning")
    assert result.reason == "poweroff" and result.ok and result.trouble is None


def test_watch_off_reset_and_nmi():
    """Checks that expected errors are allowed: an NMI from the monitor, then a reset, both seen."""
    command = "echo '{\"ready\": 1}' >/dev/verdict; for i in $(seq 500); do dmesg | grep -q 'NMI received' && break; " \
              "sleep 0.1; done; sleep 1; reboot -f"
    with Guest(Machine(kernel="6.12", watch=False), guest_root(command), "t-nmi") as guest:
        assert guest.wait_record("ready")
        guest.monitor.human("nmi")
        assert guest.wait_console("NMI received for unknown reason", timeout=60)
        result = guest.finish()
    assert result.reason == "guest-reset"


def test_ends_of_children_lose_no_verdict():
    """Checks that all verdicts arrive from a script that gets SIGCHLD while it writes them."""
    command = "for i in $(seq 150); do for d in $(seq 16); do usleep $((d * 300 + i * 7)) & done; " \
              "for d in $(seq 8); do pass 'a line that does not fit into the FIFO of the port'; done; done; wait; finish"
    result = run(Machine(kernel="6.12", cpus=2), guest_root(command), "t-children")
    assert result.ok, result.report()
    assert sum("test" in record for record in result.records) == 1200


def test_reset_loses_no_verdict():
    """Checks that a long line arrives before one CPU resets the machine, although the other CPU sends it."""
    command = "echo 2 >/proc/irq/3/smp_affinity; taskset -p 1 $$; pass first; " \
              "echo \"{\\\"long\\\": \\\"$(printf %03000d 7)\\\"}\" >/dev/verdict; sysrq b"
    result = run(Machine(kernel="6.12", cpus=2, watch=False), guest_root(command), "t-reset")
    assert result.reason == "guest-reset"
    assert {"long": f"{7:03000}"} in result.records and len(result.records) == 2


def test_page_table_isolation_on_request():
    """Checks that PTI runs on request. -cpu max is not vulnerable to Meltdown, so Linux does not use it by default."""
    probe = ("dmesg | grep -q 'page tables isolation: force enabled' && pass pti;"
             "insmod /nowhere 2>/dev/null; finish")
    result = run(Machine(kernel="6.12", pti=True), guest_root(probe), "t-pti")
    assert {"test": "pti", "ok": True} in result.records


def test_saved_state_continues_exactly():
    """Checks that two counted guests of one saved state do not boot, and have equal lines and time stamps."""
    command = "echo '<4>kernel' >/dev/kmsg; cat /proc/uptime /proc/interrupts; date +%s.%N; [ ! -e /limpet/fetch ]"
    results = [run(Machine(kernel="6.12", counted=True), guest_root(command), "t-saved") for _ in range(2)]
    assert all(result.ok for result in results), results[0].report()
    assert "Linux version" not in results[0].console
    assert results[0].console == results[1].console
    assert len(results[0].console.splitlines()) > 10
