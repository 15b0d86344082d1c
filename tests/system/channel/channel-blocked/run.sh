#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/channel.sh

# asleep: succeeds if the process no longer runs
asleep() {
	! grep -q '^State:.R' /proc/$blocked/status
}

# blocks HOW [WHAT]: starts a process that blocks in this way on a channel or folder, and sets `blocked` to its id
blocks() {
	./blocked "$1" "${2:-bytes}" >/tmp/blocked &
	blocked=$!
	check "$1: the process has started" "$(cat /tmp/blocked)" within 20 grep -q waits /tmp/blocked
	within 20 asleep
}

# all_continues HOW: checks that other files, limpet and the loop work while the process is blocked
all_continues() {
	ends "$1: another channel opens" opened ./blocked open /dev/limpet/echo
	ends "$1: the control device opens" opened ./blocked open /dev/limpet/control
	ends "$1: a device of another driver opens" opened ./blocked open /dev/net/tun
	ends "$1: limpet ps" peer limpet ps
	continues "$1: the loop continues"
}

gone() {
	[ ! -e "/proc/$blocked" ]
}

attach
start_channels nodes

blocks read
ends "read: the channel itself is busy" busy ./blocked open /dev/limpet/bytes
all_continues read
kill -9 $blocked
check "read: the process can be killed" "$(cat /proc/$blocked/stack)" within 20 gone
wait $blocked
check "read: the channel can be opened again" "$(cat /proc/*/comm | sort | uniq -c)" within 20 channels_open

holds "a TAP device whose lock is held" ./blocked tap echo
continues "tap: the loop continues"

# Linux cannot make devices in a folder that a process lists. Only the system that needs them waits.
if [ "$LIMPET_MODE" = beside ]; then
	export LIMPET_SYSTEM=0
	blocks list /dev/limpet
	limpet run $images/control.limpet >/tmp/second 2>&1 &
	second=$!
	check "list: limpet run waits for a device" "$(cat /tmp/second)" within 20 sh -c 'cat /proc/*/task/*/stack | grep -q devtmpfs_submit_req'
	all_continues list
	kill -9 $blocked
	wait $blocked
	check "list: then the system runs" "$(cat /tmp/second)" within 20 sh -c 'limpet --system 1 ps | grep -q control'
	holds "list: the system stops" limpet --system 1 stop
	wait $second
	unset LIMPET_SYSTEM
fi

blocks write
ends "write: the channel itself is busy" busy ./blocked open /dev/limpet/bytes
all_continues write
ends "write: limpet stop" stopped sh -c 'limpet stop && echo stopped'
check "write: the node is removed" "$(ls /dev/limpet)" [ ! -e /dev/limpet/bytes ]
ends "write: limpet detach names the process" "$blocked \(blocked\) has /dev/limpet/bytes open. End that process" limpet detach
check "write: the process still runs" "$(cat /tmp/said)" [ -e "/proc/$blocked" ]
ends "write: limpet detach --force" "killed process $blocked \(blocked\)" limpet detach --force
check "write: the process was killed" "$(cat /proc/$blocked/stack)" within 20 gone
check "write: the module is unloaded" "$(lsmod)" [ ! -e /sys/module/limpet ]
linux_is_well
finish
