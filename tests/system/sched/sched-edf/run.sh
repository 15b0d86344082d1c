#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start sched-edf
seconds=$(rounds 2 4)
must within 120 logged $seconds '^greedy: jobs'
must within 60 logged $seconds '^rest: jobs'
must within 60 logged $((seconds * 3 / 2)) '^slow: jobs'

for name in steady slow; do
	check "$name keeps to its reservation, and misses nothing" "$(last $name)" punctual $name
done
check "who takes more is late, in each of its jobs" "$(last greedy)" \
	sh -c "grep '^greedy: jobs $((seconds * 25)), misses $((seconds * 25)), overruns $((seconds * 50))' $log"
check "and has what it has reserved" "$(last greedy)" [ "$(had greedy)" -ge 140 -a "$(had greedy)" -le 160 ]
check "the rest has what is left" "$(last rest)" [ "$(had rest)" -ge 250 ]
equal "no component faulted" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
figure "{\"suite\": \"system\", \"case\": \"sched-edf\", \"greedy\": $(had greedy), \"rest\": $(had rest)}"
finish
