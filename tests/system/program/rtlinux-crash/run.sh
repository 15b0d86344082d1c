#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

loaded() {
	start "$PWD/$1.limpet"
	check "$1 is loaded" "$(since_mark | tail -n 3)" within 20 logged 1 '^wild: module is loaded$'
}

# dead: succeeds if a thread of wild has ended by its wild pointer
dead() {
	limpet ps | grep ' wild ' | grep ' dead' | grep -q 'write of unmapped'
}

attach
loaded once
printf w >/dev/rtf1
check "without --restart, a wild pointer ends the thread" "$(limpet ps)" within 20 dead
equal "one life" 1 "$(since_mark | grep -c '^wild: life')"
holds "stop after that" limpet stop

loaded again
holds "a process sees each crash, and continues with the next life" timeout 60 ./reader w +d h
for n in 1 2 3; do
	check "restart $n is logged" "$(since_mark | tail -n 8)" logged 1 ": restart $n, from its image$"
done
check "only the module has crashed" "$(limpet crash)" eval '! limpet crash --json | grep "\"component\"" | grep -qv "\"wild\""'
equal "four lives" "1 2 3 4 " "$(since_mark | sed -n 's/^wild: life //p' | tr '\n' ' ')"
timers "Linux continues"
holds "stop in the fourth life" limpet stop
check "cleanup_module() runs in the fourth life" "$(since_mark | tail -n 3)" logged 1 '^wild: cleanup in life 4$'

loaded again
holds "the limit of restarts" timeout 60 ./reader w w w w end
check "the limit is logged" "$(since_mark | tail -n 4)" logged 1 'it stays stopped after 3 restarts$'
holds "stop after the limit" limpet stop
check "no FIFO is left" "$(ls /dev/rtf*)" eval '! ls /dev/rtf* 2>/dev/null'
holds "detach" limpet detach
linux_is_well
finish
