#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/channel.sh

# worst COUNT: sets `worst` to the maximum lateness of the 1 kHz loop in three reports with COUNT watches
worst() {
	./watcher "$1" >/tmp/watcher &
	watcher=$!
	check "$1 watches" "$(cat /tmp/watcher)" within 60 grep -q watches /tmp/watcher
	mark
	within 20 logged 4 '"figure".*"timer"'
	equal "$1 watches: no period is missed" "" \
		"$(since_mark | grep '"overruns"' | tail -n 3 | grep -v '"count": 0}')"
	worst=$(since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | tail -n 3 | sort -n | tail -n 1)
	check "$1 watches: the channel is in use" "$(tail -n 3 /tmp/watcher)" \
		[ "$(grep -c answers /tmp/watcher)" -ge 2 ]
	figure "{\"suite\": \"system\", \"case\": \"channel-watched\", \"watches\": $1, \"max\": ${worst:-0}}"
	kill $watcher
	wait $watcher
}

attach
start_channels nodes
worst 1
alone=$worst
# In beside mode Linux's own work changes the maximum of three reports by up to 20,000. The limit is low enough, because
# waking 10,000 sleepers directly takes more than a million.
slack=10000
[ "$LIMPET_MODE" = beneath ] || slack=60000
worst 10000
check "lateness with 10,000 watches and with one" "$worst instructions, with one $alone" \
	[ "${worst:-999999}" -le $((alone + slack)) ]
worst -400
[ "$LIMPET_MODE" = beside ] ||
	check "lateness with watched epoll instances and with one watch" "$worst instructions, with one $alone" \
		[ "${worst:-999999}" -le $((alone + 10000)) ]
holds "stops" limpet stop
holds "detaches" limpet detach
finish
