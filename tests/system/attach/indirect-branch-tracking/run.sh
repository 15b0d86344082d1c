#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# tracking: prints IA32_S_CET of CPU 0, in which bit 2 enables IBT in the kernel
tracking() {
	dd if=/dev/cpu/0/msr bs=8 count=1 skip=$((0x6a2)) iflag=skip_bytes 2>/dev/null | od -A n -t x8 | tr -d ' '
}
restarted() {
	limpet crash | grep -q 'serves again, from its checkpoint'
}

holds "Linux uses IBT" sh -c "dmesg | grep 'CET detected: Indirect Branch Tracking enabled'"
dmesg -c >/dev/null # drops Linux's messages about this processor at boot
equal "the processor tracks branches in the kernel" 0000000000000004 "$(tracking)"
attach
start crashing --linux-share 300
continues "a system runs, and its invocations are right"
check "a component crashes and is restarted" "$(limpet crash | tail -n 3)" within 60 restarted
equal "the processor tracks branches while a system runs" 0000000000000004 "$(tracking)"
holds "stop" limpet stop
holds "detach" limpet detach
equal "the processor tracks branches after detach" 0000000000000004 "$(tracking)"
linux_is_well
equal "no program of Linux crashed" "" "$(dmesg | grep -E -A 1 'segfault|traps:|general protection' | head -n 6)"
finish
