#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

tracing=/sys/kernel/tracing
event=$tracing/events/timer/hrtimer_expire_entry/enable
seconds=2

# expiries IMAGE LOW HIGH: how often a second the share timer interrupts while the system runs, after its start is over
expiries() {
	start "$1"
	sleep 1
	echo >$tracing/trace
	echo 1 >$event
	sleep $seconds
	echo 0 >$event
	got=$(grep -c function=share_due $tracing/trace)
	check "${1##*/}: $2 to $3 expiries a second" "$got in $seconds s" \
		[ "$got" -ge $(($2 * seconds)) -a "$got" -le $(($3 * seconds)) ]
	must limpet stop
}

must mount -t tracefs tracefs $tracing
must limpet attach
expiries idle 0 0
expiries control-quiet 20 28
expiries hog 20 28
# Each period starts the timer. It expires when the loop has run in a window, and once more when it has not.
expiries "$PWD/slow.limpet" 18 22
expiries idle 0 0
holds "detach" limpet detach
must umount $tracing
finish
