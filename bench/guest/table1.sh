#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table1: the cost of an invocation, its cost for Linux, and the lateness of timers.
. /limpet/bench/common.sh

# linux_paths SUBJECT: a null system call, and a switch between two processes, which Limpet must not make longer
linux_paths() {
	measure null_syscall "$1"
	measure yield 2000 0 context-switch "$1"
}

# timers_linux LOAD, timers_limpet LOAD: measure each kind of timer, with and without early waking. LOAD is idle or
# loaded. A quick run omits two of the loaded timers, because time passes slowly under load.
timers_linux() {
	timer_linux "cyclictest-$1"
	[ "$quick$1" = 1loaded ] || measure early $((windows * window)) "linux-early-$1"
}
timers_limpet() {
	system_start control
	timer_limpet "limpet-$1"
	must limpet stop
	[ "$quick$1" = 1loaded ] && return
	system_start control-late --early 0
	timer_limpet "limpet-late-$1"
	must limpet stop
}

samples=40
[ -z "$quick" ] || windows=4 samples=8

say "Linux alone: round trips between two processes"
measure peers 2000 0
say "Linux alone: null system call, context switch"
linux_paths before
say "Linux alone: timers, idle"
timers_linux idle
say "CPU time that a period takes from Linux: no loop, cyclictest"
measure taken alone $samples
cyclictest -m -p 90 -t 1 -a 0 -i 1000 -D 60 -q >/dev/null &
other=$!
measure taken cyclictest $samples
must kill $other
wait $other 2>/dev/null

say "attached"
must limpet attach --module /limpet/limpet.ko >/dev/null
linux_paths attached

say "a system runs: invocations"
system_start ping
await 60 1 'ping: done'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
linux_paths running
must limpet stop

say "a system runs: invocations of a server with a pool of stacks"
system_start ping-pool
measured pool
must limpet stop

say "a system runs: its 1 kHz loop, Linux idle"
timers_limpet idle
system_start control-quiet
measure taken limpet $samples
must limpet stop

say "detached"
must limpet detach >/dev/null
linux_paths after

# The two alternate, so that both meet the same load, which changes from second to second.
load_start
windows=2 rounds=5
[ -z "$quick" ] || windows=1 rounds=1
for round in $(seq $rounds); do
	say "loaded, round $round of $rounds: Linux alone: timers"
	timers_linux loaded
	say "loaded, round $round of $rounds: a system's 1 kHz loop"
	must limpet attach --module /limpet/limpet.ko >/dev/null
	timers_limpet loaded
	must limpet detach >/dev/null
done
load_stop
