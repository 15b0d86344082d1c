#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$PWD/nodes.limpet"
within 10 logged 1 '"figure".*"timer"'
seconds=$(rounds 1 3) # a flood takes one second, and reports come once a second
mark
for second in $(seq $seconds); do
	holds "flood $second" ./user flood
done
within 10 logged $seconds '"figure".*"timer"'
equal "a report each second" $seconds "$(since_mark | grep '"figure".*"timer"' | head -n $seconds | grep -c .)"
equal "no period is missed" "" "$(since_mark | grep '"overruns"' | grep -v '"count": 0}' | head -n 3)"
worst=$(since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | sort -n | tail -n 1)
check "and none is late by 10 us" "$worst instructions" [ "${worst:-10000}" -lt 10000 ]
holds "stops" limpet stop
holds "detaches" limpet detach
finish
