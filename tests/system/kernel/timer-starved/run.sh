#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A period of the loop takes 1 ms. Linux's tick comes at most once in each ms, too.
. /limpet/system.sh

ms=50
most=$((2 * ms + 20))

attach
start control
continues "the loop runs"
for round in $(seq $(rounds 3 20)); do
	count=$(./spin 0 $ms)
	check "round $round: timer interrupts while the loop cannot run" "$count in $ms ms" [ "$count" -le $most ]
	continues "round $round: the loop continues"
done
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
