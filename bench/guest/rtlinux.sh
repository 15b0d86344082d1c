#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite rtlinux measures locks, queues, a FIFO and periods of an RTLinux module, and the same of Linux's threads.
. /limpet/bench/common.sh

cases="mutex mutex-waiting semaphore semaphore-waiting mq mq-waiting fifo periodic"
mkdir -p /dev/mqueue
must mount -t mqueue mqueue /dev/mqueue

# flood_start, flood_stop: a process that displaces the caches and the TLB
flood_start() {
	flood 32 &
	flood=$!
	sleep 0.5
}
flood_stop() {
	must kill $flood
	wait $flood 2>/dev/null
	sleep 0.2
}

# each SUBJECT: measures all cases of one subject, and its periods also under each load
each() {
	for case in $cases; do
		say "$1: $case"
		measure real_time "$1" "$case"
	done
	say "$1: periodic, loaded by stress-ng"
	load_start
	measure real_time "$1" periodic -loaded
	say "$1: periodic, loaded by stress-ng and the cache flooder"
	flood_start
	measure real_time "$1" periodic -both
	load_stop
	say "$1: periodic, loaded by the cache flooder"
	measure real_time "$1" periodic -flood
	flood_stop
}

each linux
attach
system_start ferry
sleep 1
say "a channel's event to a process that waits for it"
measure real_time channel fifo
must limpet stop
system_start rtlinux
await 20 1 'module is loaded'
each limpet
must limpet stop
must limpet detach >/dev/null
