#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# median CASE: prints the median of the first figure of a case
median() {
	since_mark | grep '"limpet"' | sed -n "s/.*\"$1\".*\"median\": \([0-9]*\).*/\1/p" | head -n 1
}

# symbol NAME: prints the address of a symbol of the module
symbol() {
	sed -n "s/^\([0-9a-f]*\) . $1\t.*/0x\1/p" /tmp/symbols | head -n 1
}

# walked: prints the kernel's pages in the restricted table, while or after a component executes
walked() {
	grep '\[limpet\]' /proc/kallsyms >/tmp/symbols
	dmesg -c >/dev/null
	insmod /limpet/isolated.ko cpu="$(symbol isolate_cpu)" text="$(symbol isolate_text)" \
		end="$(symbol isolate_text_end)" data="$(symbol isolate_data)" idt="$(symbol idt)" 2>/dev/null
	dmesg | grep 'isolated:'
}

must grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
must limpet attach
mark
must limpet run $images/ping.limpet
must within 60 logged 1 'ping: done'
for case in invoke-0 invoke-4 dispatch; do
	figure "{\"case\": \"$case\", \"isolated\": $(median $case)}"
done
must limpet stop
mark
must limpet run $images/control.limpet
must within 60 logged 1 '"timer"'
figure "{\"case\": \"timer\", \"isolated\": $(median timer)}"
walked >/tmp/walked
check "kernel pages of the restricted table: only Limpet's entries, IDT and data" "$(cat /tmp/walked)" \
	grep -q ' [1-9][0-9]* allowed, 0 leaks, component mapped' /tmp/walked
must limpet stop
must limpet detach
linux_is_well
finish
