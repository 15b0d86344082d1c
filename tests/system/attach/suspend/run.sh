#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# suspends LEVEL STATE: makes Linux enter STATE up to LEVEL. With the level `none` it sleeps until drive.py wakes the
# machine. With other levels it waits for a second and resumes
suspends() {
	echo "$1" >/sys/power/pm_test || return
	case $1:$2 in
	none:freeze) echo '{"sleep": "idle"}' >/dev/verdict ;;
	none:mem) echo '{"sleep": "memory"}' >/dev/verdict ;;
	esac
	echo "$2" >/sys/power/state
}
# centiseconds: prints the time since boot, with the time of suspend to idle, in units of 10 ms
centiseconds() {
	sed 's/^\([0-9]*\)\.\([0-9]*\) .*/\1\2/' /proc/uptime
}
# wakes_from_memory: whether this Linux wakes from suspend to memory in QEMU. 6.1 with two processors resets the machine
# when it wakes, also without Limpet
wakes_from_memory() {
	[ "$(nproc)" = 1 ] || case $(uname -r) in 6.1.*) return 1 ;; esac
}
# missed COUNT: succeeds if a report of the loop since `mark` counts at least COUNT missed periods
missed() {
	since_mark | sed -n 's/.*{"overruns": .*"count": \([0-9]*\).*/\1/p' | awk -v minimum="$1" '$1 >= minimum { found = 1 } END { exit !found }'
}
# stays STATE WORDS: checks that Linux refuses STATE, and that its log shows the reason
stays() {
	dmesg -c >/dev/null
	if said=$(suspends devices "$1" 2>&1); then
		fail "$1: refused" "it was not refused"
	fi
	check "$1: the reason" "$(dmesg | tail -5)" sh -c \
		"dmesg | grep -q 'limpet: Linux does not $2, because a system runs and the processor.s time would stop. Stop the system first'"
	continues "$1: continues after the refusal"
}

must insmod /limpet/probe.ko
points=$(entry_points)
attach
start loop
continues "before"
# The delay of a test of suspend is a busy loop. If the machine was busy when Linux calibrated the loop, the delay is far
# too short.
echo 1 >/sys/module/suspend/parameters/pm_test_delay
for level in devices none; do
	mark
	before=$(centiseconds)
	holds "suspend to idle, $level" suspends $level freeze
	if [ $level = none ] || [ $(($(centiseconds) - before)) -ge 90 ]; then
		holds "missed periods are counted, $level" within 20 missed 500
	fi
	continues "continues after suspend to idle, $level"
done
stays disk hibernate
must sh -c 'echo deep >/sys/power/mem_sleep'
stays mem 'suspend to memory'
holds "stop" limpet stop
if wakes_from_memory; then
	holds "suspend to memory is possible when no system runs" suspends none mem
fi
start loop
continues "a system runs again"
holds "it stops" limpet stop
[ -z "$LIMPET_LONG" ] || holds "hibernation is possible when no system runs" suspends devices disk
holds "detach" limpet detach
equal "entry points are Linux's" "$points" "$(entry_points)"
linux_is_well
finish
