#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

# walked: prints the kernel's pages in the restricted table, and the table's process-context id
walked() {
	insmod /limpet/isolated.ko $(awk '$4 == "[limpet]" { at[$3] = "0x" $1 }
		END { print "cpu=" at["isolate_cpu"], "text=" at["isolate_text"], "end=" at["isolate_text_end"],
			"data=" at["isolate_data"], "idt=" at["idt"] }' /proc/kallsyms) 2>/dev/null
	dmesg | grep 'isolated:'
}

must grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
holds "the processor has PCID" grep -qw pcid /proc/cpuinfo
holds "and INVPCID" grep -qw invpcid /proc/cpuinfo
lab_start stale
lab_verdicts 120
holds "components have no ids" sh -c "limpet stat | grep -q 'no process-context ids'"
walked >/tmp/walked
check "the restricted table has no other page of the kernel, and an id that Linux does not use" "$(cat /tmp/walked)" \
	grep -q ' [1-9][0-9]* allowed, 0 leaks, component mapped, id 0x800$' /tmp/walked
must limpet stop
start control
continues "a second system runs on the CPU"
must limpet stop
must limpet detach
must limpet attach --trust-components
: >$log
start "$PWD/stale.limpet" --linux-share 300
lab_verdicts 120
holds "trusted components have ids" sh -c "limpet stat | grep -q 'with process-context ids'"
lab_stop
finish
