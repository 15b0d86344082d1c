#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# keep_pace NAME: checks that each component makes its next 500 rounds, of 2 ms, while and after a process uses its FIFOs
keep_pace() {
	mark
	for first in 0 16 32 48; do
		check "$1: the component of FIFO $first continues" "$(since_mark | tail -n 4)" \
			within 30 logged 2 "many $first: [0-9]* rounds"
	done
}

# keeps_pace FIRST: succeeds if the component of this FIFO has logged half as many lines as a component logs alone, one each
# second, because Linux also has the CPU in beside mode. After a short use, for which that is no line, it must log one
keeps_pace() {
	if [ $lines -gt 0 ]; then
		logged $lines "many $1:"
	else
		within 10 logged 1 "many $1:"
	fi
}

attach
start "$PWD/fifo-users.limpet"
check "64 FIFOs exist" "$(ls /dev/rtf*)" within 20 [ -c /dev/rtf63 ]
within 20 logged 4 'many [0-9]*: [0-9]* rounds'
for kind in slow killed stopped all hostile; do
	mark
	before=$(uptime_ms)
	holds "$kind" timeout 60 ./user $kind "$(rounds 1 3)"
	lines=$((($(uptime_ms) - before) / 2000))
	for first in 0 16 32 48; do
		check "$kind: the pace of the component of FIFO $first" "$(since_mark | tail -n 4)" keeps_pace $first
	done
done
keep_pace "afterwards"
equal "nothing is wrong" "" "$(grep -m 3 'wrong:' $log)"
equal "no process is left" "" "$(pidof user)"
holds "stop" limpet stop
check "no FIFO is left" "$(ls /dev/rtf*)" eval '! ls /dev/rtf* 2>/dev/null'
holds "detach" limpet detach
linux_is_well
finish
