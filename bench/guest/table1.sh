#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table1: what an invocation costs, what it costs Linux, how late timers are.
. /limpet/bench/common.sh

say "Linux alone: round trips between two processes"
measure peers 2000 0
say "Linux alone: null system call"
measure null_syscall before
say "Linux alone: timer, idle"
timer_linux cyclictest-idle

say "attached"
must limpet attach --module /limpet/limpet.ko >/dev/null
measure null_syscall attached

say "a system runs: invocations"
system_start ping
await 60 1 'ping: done'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
measure null_syscall running
must limpet stop

say "a system runs: its 1 kHz loop, Linux idle"
system_start control
timer_limpet limpet-idle
must limpet stop

say "detached"
must limpet detach >/dev/null
measure null_syscall after

# In turn, so that both meet the same load: what it does changes from second to second.
load_start
windows=2
rounds=5
[ -z "$quick" ] || rounds=2
for round in $(seq $rounds); do
	say "loaded, round $round of $rounds: Linux alone: timer"
	timer_linux cyclictest-loaded
	say "loaded, round $round of $rounds: a system's 1 kHz loop"
	must limpet attach --module /limpet/limpet.ko >/dev/null
	system_start control
	timer_limpet limpet-loaded
	must limpet detach --stop >/dev/null
done
load_stop
