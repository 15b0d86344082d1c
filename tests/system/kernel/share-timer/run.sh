#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

tracing=/sys/kernel/tracing
event=$tracing/events/timer/hrtimer_expire_entry/enable
seconds=$(rounds 1 2)

# traced: sets `got` to the share timer's expiries in the next seconds, and `took` to the length of this time in ms
traced() {
	echo >$tracing/trace
	took=$(uptime_ms)
	echo 1 >$event
	sleep $seconds
	echo 0 >$event
	took=$(($(uptime_ms) - took))
	got=$(grep -c function=share_due $tracing/trace)
}

# expiries IMAGE LOW HIGH: checks the share timer's interrupts per second while the system runs, after its start
expiries() {
	start "$1"
	usleep 300000
	for try in $(seq 8); do # the machine may pause, or start the system slowly
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
# Each period starts the timer. It expires after a window in which the loop ran, and once more after one without.
expiries "$PWD/slow.limpet" 18 22
expiries idle 0 0
holds "detach" limpet detach
must umount $tracing
finish
