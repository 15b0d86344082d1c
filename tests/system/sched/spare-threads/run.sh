#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

count=$(rounds 300 1300)
attach
start "$PWD/$(rounds spare spare-long).limpet"
for team in outer inner; do
	check "$team ends" "$(tail -n 3 $log)" within $(rounds 60 240) logged 1 "^$team: "
	# Each round has three threads, one of which ends from within a function. A fourth one is refused.
	equal "$team: each thread runs once, gets what it was given, and its value is joined" \
		"$team: $((3 * count)) joined, $count refused, wrong 0" \
		"$(since_mark | grep "^$team: " | head -n 1)"
done
equal "no component faulted" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
