#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$PWD/pool.limpet"
within 60 logged 1 '^threads: end'
equal "nothing is wrong" "threads: end: wrong 0" "$(since_mark | grep -E '^threads: (wrong|end)' | head -n 5)"
equal "two threads are inside simultaneously, never three" "threads: crowd: 180 calls, 2 inside" \
	"$(since_mark | grep '^threads: crowd')"
equal "the most important waiting thread comes in first" "threads: order: 30 20 10" \
	"$(since_mark | grep '^threads: order')"
equal "without a free stack a call is refused" "threads: refused: ESTACK, then OK" \
	"$(since_mark | grep '^threads: refused')"
for restart in checkpoint image; do
	equal "$restart: a crash ends all calls, also those that wait, and frees all stacks" \
		"threads: $restart: 3 ECRASH, then 60 calls, 2 inside" "$(since_mark | grep "^threads: $restart:")"
done
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
