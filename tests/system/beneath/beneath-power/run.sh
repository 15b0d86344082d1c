#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# kept WORDS COMMAND...: checks that the command fails, with these words in the kernel's log, and that the system
# continues
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
	continues "after $*: the system continues"
}

attach
start control
continues "the system runs"
check "Linux could suspend" "$(cat /sys/power/state)" grep -q freeze /sys/power/state
for state in $(cat /sys/power/state); do
	[ "$state" = disk ] || kept 'Linux does not suspend, because Limpet is attached beneath. Detach it first' \
		"echo $state >/sys/power/state"
done
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
# The machine is switched off while the layer is attached.
attach
finish
