#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# symbols NAME...: prints the addresses of the symbols as fields of a JSON object
symbols() {
	awk -v names=" $* " 'index(names, " " $3 " ") { printf "%s\"%s\": \"%s\"", n++ ? ", " : "", $3, $1 }' /proc/kallsyms
}

# place NAME: prints the event of perf that a hardware breakpoint at this symbol causes
place() {
	echo "mem:0x$(sed -n "s/^\([0-9a-f]*\) . $1\t.*/\1/p" /proc/kallsyms):x"
}

# crash_again: succeeds if a component has crashed since `crashes` was set
crash_again() {
	[ "$(limpet crash --json | sed 's/.*"count": \([0-9]*\).*/\1/')" -gt "$crashes" ]
}

must grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
attach
found=$(symbols exc_nmi exc_machine_check isolate_stubs isolate_syscall isolate_sysret isolate_iret isolate_text_end)
start crashing --linux-share 300
within 60 logged 1 '"timer"' || fail "a loop runs" "$(since_mark | tail -n 3)"
nmis=$(interrupts NMI) checks=$(interrupts MCE)
echo "{\"symbols\": {$found}}" >/dev/verdict
read -r -t 100 sent_nmis sent_checks </dev/verdict
equal "each NMI that was sent has arrived" "$sent_nmis" $(($(interrupts NMI) - nmis))
equal "each machine check that was sent has arrived" "$sent_checks" $(($(interrupts MCE) - checks))
crashes=$(limpet crash --json | sed 's/.*"count": \([0-9]*\).*/\1/')
check "components are restarted, and crash again" "$crashes crashes" within 10 crash_again
continues "the loop continues"
if [ -n "$LIMPET_LONG" ]; then # QEMU is slow with hardware breakpoints
	must perf stat -x , -o /tmp/counts -a -e "$(place isolate_syscall)" -e "$(place isolate_sysret)" \
		-e "$(place isolate_iret)" sleep 0.3
	equal "debug exceptions arrive at three places" 3 "$(grep -c '^[1-9][0-9]*,.*mem:0x' /tmp/counts)"
	continues "the loop continues after the debug exceptions"
fi
must limpet stop
must limpet detach
linux_is_well
finish
