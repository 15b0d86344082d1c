#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

there() {
	[ -c /dev/limpet/bytes ] && { true >/dev/limpet/bytes; } 2>/dev/null
}

# ends NAME WORDS COMMAND...: it ends by itself, soon, and says that; this goes on if it does not
ends() {
	name=$1 words=$2
	shift 2
	rm -f /tmp/ended
	{ "$@" >/tmp/said 2>&1; echo >/tmp/ended; } &
	if ! within 10 [ -e /tmp/ended ]; then
		fail "$name" "it hangs: $(dmesg | tail -n 2)"
	else
		check "$name" "$(cat /tmp/said)" grep -qE -- "$words" /tmp/said
	fi
}

# blocks HOW: a process does that with a channel; `blocked` is its number
blocks() {
	./blocked "$1" bytes >/tmp/blocked &
	blocked=$!
	check "$1: it begins" "$(cat /tmp/blocked)" within 10 grep -q waits /tmp/blocked
	sleep 0.5
}

# all_goes_on HOW: while it is blocked
all_goes_on() {
	ends "$1: the channel itself says that it is open" busy ./blocked open /dev/limpet/bytes
	ends "$1: another channel opens" opened ./blocked open /dev/limpet/echo
	ends "$1: the control device opens" opened ./blocked open /dev/limpet/control
	ends "$1: a device of another driver's opens" opened ./blocked open /dev/net/tun
	ends "$1: limpet ps" peer limpet ps
	goes_on "$1: the loop goes on"
}

gone() {
	[ ! -e "/proc/$blocked" ]
}

attach
start "$PWD/nodes.limpet"
within 10 there || fail "channels appear" "$(ls /dev/limpet; dmesg | tail -n 3)"

blocks read
all_goes_on read
kill -9 $blocked
check "read: killed, it dies" "$(cat /proc/$blocked/stack)" within 10 gone
wait $blocked
check "read: the channel is free again" "$(cat /proc/*/comm | sort | uniq -c)" within 5 there

holds "a TAP device whose lock somebody has" ./blocked tap echo
goes_on "tap: the loop goes on"

blocks write
all_goes_on write
ends "write: limpet stop" stopped sh -c 'limpet stop && echo stopped'
check "write: the node is gone" "$(ls /dev/limpet)" [ ! -e /dev/limpet/bytes ]
ends "write: limpet detach says who it is" "$blocked \(blocked\) has /dev/limpet/bytes open: end that process" limpet detach
check "write: and has let it live" "$(cat /tmp/said)" [ -e "/proc/$blocked" ]
ends "write: limpet detach --force" "killed process $blocked \(blocked\)" limpet detach --force
check "write: it is dead" "$(cat /proc/$blocked/stack)" within 10 gone
check "write: the module is unloaded" "$(lsmod)" [ ! -e /sys/module/limpet ]
linux_is_well
finish
