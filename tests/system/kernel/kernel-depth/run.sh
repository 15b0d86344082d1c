#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# chain SYSTEM DEPTH ROUNDS SECONDS: runs a chain with two links more than the depth
chain() {
	start "$PWD/$1.limpet"
	within "$4" logged 1 '^top: end'
	equal "$1: each call comes back right, or with EDEPTH at the right depth" \
		"top: right $(($2 * $3)), refused $((2 * $3)), wrong 0" \
		"$(since_mark | grep '^top: ' | head -n 1)"
	check "$1: they were preempted" "$(limpet stat)" [ "$(stat_of "timer expiries")" -gt 50 ]
	equal "$1: no component faulted" 0 "$(stat_of "faults of components")"
	equal "$1: no thread is left inside" "" \
		"$(limpet ps | awk '/THREAD OF/ { exit } / link-/ && $8 > 0' | head -n 3)"
	holds "$1: stop" limpet stop
}

attach
chain "$(rounds depth depth-long)" 28 "$(rounds 300 2500)" "$(rounds 60 300)"
chain depth-most 256 10 60
holds "detach" limpet detach
linux_is_well
finish
