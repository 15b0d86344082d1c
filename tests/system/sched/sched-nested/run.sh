#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start sched-nested
must within 120 logged "$(rounds 1 3)" '^right-rest: jobs'
must within 60 logged 4 '^right-steady: jobs'
must within 60 logged 4 '^left-steady: jobs'

left=$(had left-steady left-rest) right=$(had right-steady right-rest)
check "the first part has its 400 of 1000, and no more" "$left: $(last left-rest)" [ $left -ge 380 -a $left -le 402 ]
check "the second part has its 300" "$right: $(last right-rest)" [ $right -ge 280 -a $right -le 302 ]
for name in left-steady right-steady; do
	check "$name misses nothing, though others of its part never end" "$(last $name)" punctual $name
done
check "a loop before both continues" "$(tail -n 3 $log)" within 60 logged 2 '^control: .*"figure"'
equal "no component faulted" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
figure "{\"suite\": \"system\", \"case\": \"sched-nested\", \"left\": $left, \"right\": $right}"
finish
