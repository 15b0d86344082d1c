#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

counts=/sys/module/windows/parameters
wanted=$(part 200 20000)

# symbols NAME...: sets variables to the addresses of the module's symbols
symbols() {
	grep '\[limpet\]' /proc/kallsyms >/tmp/symbols
	for name; do
		eval "$name=$(sed -n "s/^\([0-9a-f]*\) . $name\t.*/0x\1/p" /tmp/symbols | head -n 1)"
	done
}

# hits KIND SITE: prints the number of NMIs that interrupted a site with a table of this kind
hits() {
	cut -d , -f "$2" $counts/"$1"
}

# enough: succeeds if the requested NMIs have arrived, with some in each window. About one of a hundred hits SYSCALL's
enough() {
	[ "$(cat $counts/nmis)" -ge "$wanted" ] && [ "$(hits restricted 3)" -gt 0 ] && [ "$(hits unrestricted 3)" -gt 0 ] &&
		[ -z "$LIMPET_LONG" -o "$(hits restricted 2)" -gt 0 ]
}

must grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
attach
start busy --linux-share 300
continues "runs"
symbols isolate_cpu isolate_stubs isolate_syscall isolate_sysret isolate_iret isolate_text_end
must insmod /limpet/windows.ko cpu="$isolate_cpu" \
	site="$isolate_stubs,$isolate_syscall,$isolate_sysret,$isolate_iret,$isolate_text_end"
echo "{\"nmis\": $wanted}" >/dev/verdict
within $((90 + wanted / 5)) enough
check "NMIs arrive" "$(cat $counts/nmis)" [ "$(cat $counts/nmis)" -ge "$wanted" ]
[ -z "$LIMPET_LONG" ] || check "at SYSCALL, with the restricted table" "$(cat $counts/restricted)" [ "$(hits restricted 2)" -gt 0 ]
check "before SYSRET, with the restricted table" "$(cat $counts/restricted)" [ "$(hits restricted 3)" -gt 0 ]
check "before SYSRET, with a component's table" "$(cat $counts/unrestricted)" [ "$(hits unrestricted 3)" -gt 0 ]
echo "{\"arrived\": $(cat $counts/nmis)}" >/dev/verdict
equal "interrupts are off there, and the handler has a table that maps the kernel" 0 "$(cat $counts/wrong)"
figure "{\"suite\": \"system\", \"case\": \"isolated-nmi\", \"nmis\": $(cat $counts/nmis), \"restricted\": [$(cat $counts/restricted)], \"unrestricted\": [$(cat $counts/unrestricted)]}"
continues "continues after the NMIs"
must rmmod windows
equal "no component faulted" 0 "$(stat_of 'faults of components')"
must limpet stop
must limpet detach
linux_is_well
finish
