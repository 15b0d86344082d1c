#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# last NAME: its last report
last() {
	grep "^$1: jobs" $log | tail -n 1
}
# had NAME: how much of the time it had, in thousandths, of the last report
had() {
	last "$1" | sed 's/.*had \([0-9]*\) of 1000$/\1/'
}

attach
refused "a table whose slots overlap" "overlap: CPU 0: sched: cannot initialise it: " limpet run "$(pwd)/overlap.limpet"
limpet stop >/dev/null 2>&1
start "$(pwd)/table.limpet"
must within 120 logged 4 '^greedy: jobs'
must within 60 logged 4 '^early: jobs'
must within 60 logged 4 '^rest: jobs'
for name in early rest; do
	check "$name misses nothing" "$(last $name)" \
		sh -c "grep '^$name: jobs' $log | tail -n 1 | grep -q 'misses 0, overruns 0'"
done
check "who would take all has its slot, and no more" "$(last greedy)" [ "$(had greedy)" -ge 190 -a "$(had greedy)" -le 202 ]
equal "nobody faulted" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
figure "{\"suite\": \"system\", \"case\": \"sched-table\", \"early\": $(had early), \"greedy\": $(had greedy), \"rest\": $(had rest)}"
finish
