#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# worst NAME: sets `worst` to the maximum lateness of the loop in three reports
worst() {
	mark
	within 60 logged 4 '"figure".*"timer"'
	equal "$1: no period is missed" "" "$(since_mark | grep '"overruns"' | tail -n 3 | grep -v '"count": 0}')"
	worst=$(since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | tail -n 3 | sort -n | tail -n 1)
	figure "{\"suite\": \"system\", \"case\": \"exporter\", \"clients\": \"$1\", \"max\": ${worst:-0}}"
}

# memory: prints the exporter's memory in KiB
memory() {
	awk '$1 == "VmRSS:" { print $2 }' /proc/$exporter/status
}

# descriptors COUNT: checks that the exporter has at most this number of open files
descriptors() {
	[ "$(ls /proc/$exporter/fd | wc -l)" -le $1 ]
}

attach
start "$PWD/exporter.limpet"
limpet exporter --ui >/dev/null 2>/tmp/exporter.err &
exporter=$!
check "the exporter answers" "$(cat /tmp/exporter.err)" within 20 ./clients get /metrics >/dev/null

./clients get / >/tmp/page
check "the page is complete" "$(wc -c </tmp/page)" cmp -s /tmp/page live.html
./clients get /events >/tmp/first
sleep 1
./clients get /events >/tmp/second
./clients get /wiring >/tmp/wiring
check "the wiring is a picture" "$(head -c 200 /tmp/wiring)" \
	grep -q '"name": "exporter", "picture": "<svg .*control.*</svg>' /tmp/wiring
if ! python3 ./values.py "$LIMPET_MODE" /tmp/first /tmp/second >/tmp/said 2>&1; then
	fail "the events can be read" "$(tail -n 3 /tmp/said)"
fi
while read -r word what; do
	if [ "$word" = pass ]; then pass "$what"; else fail "${what%%:*}" "$what"; fi
done </tmp/said

holds "clients get answers" ./clients many 20
before=$(memory) open=$(ls /proc/$exporter/fd | wc -l)
holds "many clients get answers" ./clients many $(rounds 100 20000)
check "memory after many clients" "$(memory) KiB, before $before" [ $(memory) -le $((before + 64)) ]
check "no connection stays open" "$(ls /proc/$exporter/fd)" within 20 descriptors $open

worst quiet
quiet=$worst
./clients slow >/tmp/slow 2>&1 &
slow=$!
check "slow clients are connected" "$(cat /tmp/slow)" within 60 grep -q slow /tmp/slow
worst slow
# In beside mode Linux's own work changes the maximum, as in the property channel-watched.
slack=10000
[ "$LIMPET_MODE" = beneath ] || slack=60000
check "lateness with slow clients and without" "$worst instructions, without $quiet" [ ${worst:-999999} -le $((quiet + slack)) ]
check "others are answered meanwhile" "$(cat /tmp/slow)" within 60 ./clients get /metrics >/dev/null
# 16 connections, one that has just been accepted, and the device
check "connections are bounded" "$(ls /proc/$exporter/fd | wc -l), before $open" descriptors $((open + 18))
check "memory with slow clients" "$(memory) KiB, before $before" [ $(memory) -le $((before + 512)) ]
kill $slow
check "the slow clients ran" "$(cat /tmp/slow)" [ "$(cat /tmp/slow)" = slow ]
check "the connections end" "$(ls /proc/$exporter/fd)" within 60 descriptors $open
kill $exporter
holds "stops" limpet stop
holds "detaches" limpet detach
linux_is_well
finish
