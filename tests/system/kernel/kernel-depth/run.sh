#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

count=$(rounds 300 2500)
attach
start "$PWD/$(rounds depth depth-long).limpet"
within $(rounds 60 300) logged 1 '^top: end'
# In each round, 28 depths succeed, and 2 exceed the maximum.
equal "each call comes back right, or with EDEPTH at the right depth" \
	"top: right $((28 * count)), refused $((2 * count)), wrong 0" \
	"$(since_mark | grep '^top: ' | head -n 1)"
check "they were preempted" "$(limpet stat)" [ "$(stat_of "timer expiries")" -gt 50 ]
equal "no component faulted" 0 "$(stat_of "faults of components")"
equal "no thread is left inside" "" "$(limpet ps | awk '/THREAD OF/ { exit } / link-/ && $8 > 0' | head -n 3)"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
