#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

there() {
	[ -c /dev/limpet/bytes ] && { true >/dev/limpet/bytes; } 2>/dev/null
}

# worst COUNT: the greatest lateness of the 1 kHz loop in three reports while there are so many watches
worst() {
	./watcher "$1" >/tmp/watcher &
	watcher=$!
	check "$1 watches" "$(cat /tmp/watcher)" within 60 grep -q watches /tmp/watcher
	mark
	within 20 logged 4 '"figure".*"timer"'
	equal "$1 watches: no period is missed" "" \
		"$(since_mark | grep '"overruns"' | tail -n 3 | grep -v '"count": 0}')"
	worst=$(since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | tail -n 3 | sort -n | tail -n 1)
	check "$1 watches: the channel is used meanwhile" "$(tail -n 3 /tmp/watcher)" \
		[ "$(grep -c answers /tmp/watcher)" -ge 2 ]
	figure "{\"suite\": \"system\", \"case\": \"channel-watched\", \"watches\": $1, \"max\": ${worst:-0}}"
	kill $watcher
	wait $watcher
}

attach
start "$PWD/nodes.limpet"
within 10 there || fail "channels appear" "$(ls /dev/limpet; dmesg | tail -n 3)"
worst 1
alone=$worst
worst 10000
check "10,000 watches make it no later than one" "$worst instructions, with one $alone" \
	[ "${worst:-999999}" -le $((alone + 10000)) ]
worst -400
[ "$LIMPET_MODE" = beside ] ||
	check "nor do epolls that are watched by others" "$worst instructions, with one $alone" \
		[ "${worst:-999999}" -le $((alone + 10000)) ]
holds "stops" limpet stop
holds "detaches" limpet detach
finish
