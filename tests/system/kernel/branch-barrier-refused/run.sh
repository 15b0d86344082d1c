#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The processor has no IBPB: MSR PRED_CMD does not exist, and a write to it would be an exception in the kernel.
. /limpet/system.sh

attach
for round in 1 2; do
	refused "run, round $round" "Component pong has branch-barrier, but this processor has no IBPB\\. .*remove branch-barrier\\.$" \
		limpet run "$PWD/ping.limpet"
	equal "no system is left" "No system runs." "$(limpet stop)"
	start ping
	within 60 logged 1 'ping: done' || fail "a system without it runs" "$(since_mark | tail -2)"
	equal "without barriers" 0 "$(stat_of 'branch predictor barriers')"
	must limpet stop
done
linux_is_well
finish
