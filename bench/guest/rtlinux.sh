#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite rtlinux measures locks, queues, a FIFO and periods of an RTLinux module, and the same of Linux's threads.
. /limpet/bench/common.sh

cases="mutex mutex-waiting semaphore semaphore-waiting mq mq-waiting fifo periodic"
mkdir -p /dev/mqueue
must mount -t mqueue mqueue /dev/mqueue

# each SUBJECT: measures all cases of one subject, and its periods also under load
each() {
	for case in $cases; do
		say "$1: $case"
		measure real_time "$1" "$case"
	done
	say "$1: periodic, loaded by stress-ng"
	load_start
	measure real_time "$1" periodic -loaded
	load_stop
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
