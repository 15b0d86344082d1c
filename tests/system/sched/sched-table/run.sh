#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
refused "a table whose slots overlap" "overlap: CPU 0: sched: cannot initialise it: " limpet run "$(pwd)/overlap.limpet"
limpet stop >/dev/null 2>&1
start "$(pwd)/table.limpet"
reports=$(rounds 2 4)
must within 120 logged $reports '^greedy: jobs'
must within 60 logged $reports '^early: jobs'
must within 60 logged $reports '^rest: jobs'
for name in early rest; do
	check "$name misses nothing" "$(last $name)" punctual $name
done
check "who would take all has its slot, and no more" "$(last greedy)" [ "$(had greedy)" -ge 190 -a "$(had greedy)" -le 202 ]
equal "no component faulted" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
figure "{\"suite\": \"system\", \"case\": \"sched-table\", \"early\": $(had early), \"greedy\": $(had greedy), \"rest\": $(had rest)}"
finish
