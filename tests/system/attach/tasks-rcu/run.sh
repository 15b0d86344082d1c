#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# RCU for tasks waits until each thread has slept, called the scheduler or reached user level. For Linux the host thread
# is in the kernel while components execute, and interrupts of other threads only preempt it. The end of a function
# tracer waits for RCU for tasks.
. /limpet/system.sh

tracer=/sys/kernel/tracing/instances/limpet
tracer_ends() {
	mkdir $tracer && echo do_exit >$tracer/set_ftrace_filter && echo function >$tracer/current_tracer &&
		echo nop >$tracer/current_tracer && rmdir $tracer && : >/tmp/tracer
}

[ -d ${tracer%/*} ] || must mount -t tracefs none /sys/kernel/tracing
attach
start busy --linux-share 0
continues "runs"
tracer_ends &
check "a function tracer ends" "it still waits for RCU" within 100 test -e /tmp/tracer
continues "continues"
holds "detach" limpet detach --stop
finish
