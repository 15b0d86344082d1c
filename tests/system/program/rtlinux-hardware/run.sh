#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
for round in 1 2; do
	mark
	start "$PWD/uart.limpet"
	check "round $round: the module has finished" "$(since_mark | tail -n 5)" within 60 logged 1 '^uart: all done, 0 wrong$'
	equal "round $round: nothing is wrong" "" "$(since_mark | grep 'uart: wrong:' | head -5)"
	check "round $round: a port of others is refused" "$(since_mark | tail -n 5)" logged 2 'does not assign port 0x80'
	check "round $round: an interrupt of others is refused" "$(since_mark | tail -n 5)" logged 1 'rtl_request_irq.*does not assign'
	check "round $round: sigaction() of an interrupt of others is refused" "$(since_mark | tail -n 5)" logged 1 'sigaction.*does not assign'
	holds "round $round: stop" limpet stop
done
holds "detach" limpet detach
linux_is_well
finish
