#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$PWD/shm.limpet"
for program in first second; do
	check "$program: sizes, errors and private names" "$(since_mark | tail -n 5)" within 30 logged 1 "^$program: start 1, 0 wrong$"
done
holds "values through both components" ./partner ring "$(rounds 3000 30000)"
holds "a component's own channel" ./partner own
./partner die
holds "the content after the end of a process" ./partner kept
holds "the content after a crash of a component" ./partner crash
check "the restarted program opens it again" "$(since_mark | tail -n 5)" within 30 logged 1 '^first: start 2, 0 wrong$'
holds "values after the crash" ./partner ring 1000
holds "the component's own channel after the crash" ./partner own
equal "nothing is wrong" "" "$(since_mark | grep -E ': wrong: ' | head -n 3)"
holds "stops" limpet stop
holds "detach" limpet detach --stop
linux_is_well
finish
