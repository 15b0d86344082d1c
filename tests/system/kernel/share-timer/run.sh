#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

tracing=/sys/kernel/tracing
event=$tracing/events/timer/hrtimer_expire_entry/enable
seconds=2

# traced: sets `got` to the expiries of the share timer in the next seconds, and `took` to how many ms these were
traced() {
	echo >$tracing/trace
	took=$(uptime_ms)
	echo 1 >$event
	sleep $seconds
	echo 0 >$event
	took=$(($(uptime_ms) - took))
	got=$(grep -c function=share_due $tracing/trace)
}

# expiries IMAGE LOW HIGH: how often a second the share timer interrupts while the system runs, after its start is over
expiries() {
	start "$1"
	sleep 1
	for try in $(seq 8); do # the machine may pause meanwhile, or be slow to start the system
		traced
		[ $((got * 1000)) -lt $(($2 * took)) -o $((got * 1000)) -gt $(($3 * took)) ] || break
	done
	check "${1##*/}: $2 to $3 expiries a second" "$got in $took ms" \
		[ $((got * 1000)) -ge $(($2 * took)) -a $((got * 1000)) -le $(($3 * took)) ]
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
