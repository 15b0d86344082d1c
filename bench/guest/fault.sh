#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite fault: the cost of a page fault for a component and for a Linux process, and of a crash until the component
# serves again.
. /limpet/bench/common.sh

say "Linux alone: minor fault"
measure minor_fault 1000 0
say "Linux alone: fork, exec, wait"
measure spawn 1000 0

must limpet attach --module /limpet/limpet.ko >/dev/null
say "a system runs: page fault, repaired by its memory manager"
system_start fault
await 60 1 'touch: done'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
must limpet stop >/dev/null
say "a system runs: a component crashes, and serves again"
system_start restart
await 60 1 'breaker: done'
await 60 2 '"overruns"'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | grep '"suite": "fault"' | send
if marked | grep '"overruns"' | grep -vq '"count": 0'; then
	say "the 1 kHz loop beside it has missed periods"
	exit 1
fi
must limpet detach --stop >/dev/null
