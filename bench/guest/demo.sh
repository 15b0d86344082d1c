#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Shows Linux alone, then with Limpet attached and a running system, which stays. In beneath mode Linux also misbehaves,
# and finally dies. demo_again.sh continues in the next Linux.
. /limpet/bench/common.sh

image=$(echo /limpet/images/*.limpet)
windows=2

say "asking doctor"
limpet doctor --json >/tmp/doctor
send_as doctor </tmp/doctor
grep -q '^{"ok": true' /tmp/doctor || exit 1

say "Linux alone: round trips between two processes"
measure peers 1000 0
measure null_syscall before 2000
say "Linux alone: cyclictest, idle"
timer_linux cyclictest-idle
say "Linux alone: cyclictest, loaded by stress-ng"
load_start
timer_linux cyclictest-loaded
load_stop

say "attaching Limpet $mode the running kernel"
if [ "$mode" = beneath ]; then
	must /limpet/pack /tmp/initrd
	must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd \
		--append limpet.run=/limpet/bench/demo_again.sh >/dev/null
	rm /tmp/initrd
else
	attach
fi
say "starting the system"
system_start "$(basename "$image" .limpet)"
sleep 1.5
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | grep -v '"timer"' | send
measure null_syscall running 2000
if marked | grep -q '"figure".*"timer"'; then
	say "the system's 1 kHz loop, Linux idle"
	timer_limpet limpet-idle
	say "the system's 1 kHz loop, Linux loaded by stress-ng"
	load_start
	timer_limpet limpet-loaded
	load_stop
	if [ "$mode" = beneath ]; then
		say "the system's 1 kHz loop, Linux spins with interrupts off"
		must insmod /limpet/harm.ko
		irqs_off &
		load=$!
		timer_limpet limpet-irqs-off
		load_stop
	fi
fi
limpet ps --json | send_as ps
if [ "$mode" = beneath ]; then
	say "Linux panics; another is started while the system runs"
	echo c >/proc/sysrq-trigger
fi
say "done"
