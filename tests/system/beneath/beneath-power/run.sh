#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

cpu1=/sys/devices/system/cpu/cpu1/online

# kept WORDS COMMAND...: it fails, with these words in the kernel's log, and all goes on
kept() {
	words=$1
	shift
	dmesg -c >/dev/null
	if said=$(sh -c "$*" 2>&1); then
		fail "$*" "it was not refused"
	elif ! dmesg | grep -q "limpet: $words"; then
		fail "$*" "no reason in dmesg: $said; $(dmesg | tail -3)"
	else
		pass "$* is refused"
	fi
	goes_on "after $*: the system goes on"
}

attach
start control
goes_on "the system runs"
check "Linux could suspend" "$(cat /sys/power/state)" grep -q freeze /sys/power/state
for state in $(cat /sys/power/state); do
	[ "$state" = disk ] || kept 'Linux does not suspend: attached beneath; detach first' \
		"echo $state >/sys/power/state"
done
holds "stop" limpet stop
holds "detach" limpet detach
if [ "$LIMPET_CPUS" -gt 1 ]; then
	holds "CPU 1 goes" sh -c "echo 0 >$cpu1"
	attach
	start control
	kept 'CPU 1 stays offline: attached beneath without it; detach first' "echo 1 >$cpu1"
	equal "CPU 1 is offline" 0 "$(cat $cpu1)"
	holds "stop again" limpet stop
	holds "detach again" limpet detach
	holds "CPU 1 comes" sh -c "echo 1 >$cpu1"
fi
linux_is_well
# The machine is switched off with the layer there.
attach
finish
