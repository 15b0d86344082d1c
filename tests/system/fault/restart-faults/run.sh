#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$(pwd)/$(rounds faults faults-long).limpet"
before=$(awk '/^processes/ { print $2 }' /proc/stat)
within 500 logged 1 'breaker: done' || fail "all faults were made" "$(since_mark | tail -3)"
crashes=$(since_mark | sed -n 's/^breaker: \([0-9]*\) crashes, 0 wrong$/\1/p')
if [ "${crashes:-0}" -ge "$(rounds 1000 2500)" ]; then
	pass "each was survived: $crashes"
else
	fail "each was survived" "$(since_mark | grep 'breaker:' | tail -3)"
fi
counted=$(limpet crash --json | sed 's/.*"count": \([0-9]*\).*/\1/')
restarts=$(limpet crash --last | sed -n 's/.*: restart \([0-9]*\), .*/\1/p')
if [ "$counted" = "$crashes" ] && [ "$restarts" = "$crashes" ]; then
	pass "the counts add up"
else
	fail "the counts add up" "$crashes noticed, $counted recorded, $restarts restarts"
fi
within 20 logged 2 '"overruns".*"count": 0' || fail "the loop reports" "$(since_mark | tail -3)"
missed=$(since_mark | grep '"overruns"' | grep -vc '"count": 0')
if [ "$missed" = 0 ]; then pass "the loop missed nothing"; else fail "the loop missed nothing" "$missed reports"; fi
if [ "$(awk '/^processes/ { print $2 }' /proc/stat)" -gt "$before" ]; then
	pass "Linux continues"
else
	fail "Linux continues" "no process began"
fi
continues "the loop continues"
holds "stops" limpet stop
holds "detaches" limpet detach
finish
