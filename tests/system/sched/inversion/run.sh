#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
for scheduler in fixed-priority edf; do
	start "$PWD/$scheduler.limpet"
	within 60 logged 1 '^threads: end'
	equal "$scheduler: no thread in between ran while a more important thread waited" "threads: end: wrong 0" \
		"$(since_mark | grep -E '^threads: (wrong|end)' | head -n 5)"
	equal "$scheduler: in seven cases" 7 "$(since_mark | grep -c '^threads: .*: 20 rounds')"
	equal "$scheduler: no component faulted" 0 "$(stat_of "faults of components")"
	figure "{\"suite\": \"system\", \"case\": \"inversion\", \"scheduler\": \"$scheduler\", \"waited\": \"$(since_mark |
		sed -n 's/^threads: \([a-z]*\): .*at most \([0-9]*\) ticks.*/\1 \2/p' | tr '\n' ' ')\"}"
	holds "$scheduler: stop" limpet stop
done
holds "detach" limpet detach
linux_is_well
finish
