#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite sched: the cost of locks, waiting, timers and a chain of components with schedulers that are components.
. /limpet/bench/common.sh

# figures SYSTEM WHO: the measurements of that component of the system
figures() {
	system_start "$1"
	await 60 1 "$2: done"
	marked | grep "$2: wrong" && exit 1
	marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
	must limpet stop
}

say "Linux alone: sched_yield between two processes"
measure yield 2000
say "Linux alone: timer"
timer_linux cyclictest

attach
say "locks, a thread that blocks"
figures turns turns
say "kernel calls and invocations that do not wait"
figures cost cost
say "25 components"
figures web-server-like clients
say "a 1 kHz loop under sched.edf"
system_start control-edf
timer_limpet limpet
must limpet stop
must limpet detach >/dev/null
