#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Virtual time counts instructions here, so a bound in ticks is one in instructions.
. /limpet/system.sh

max=1000
middle=500
reports=$(part 1 20)

# worst NAME FIELD: prints the maximum of all reports since `mark`
worst() {
	since_mark | sed -n "s/.*\"figure\".*\"$1\": \([0-9]*\).*/\1/p" | sort -n | tail -n 1
}

# phase NAME [MAX]: checks the figures that the loop has reported since `mark`. MAX: the limit of the maximum
phase() {
	check "$1: the loop reports every period" "$(since_mark | tail -n 2)" within 60 logged "$reports" '"figure"'
	check "$1: the median" "$(worst median)" [ "$(worst median)" -le $middle ]
	check "$1: the maximum" "$(worst max)" [ "$(worst max)" -le "${2:-$max}" ]
	equal "$1: no period was missed" "" "$(since_mark | grep '"overruns"' | grep -v '"count": 0}')"
	figures="$figures, \"$1\": {\"median\": $(worst median), \"max\": $(worst max)}"
}

figures=
must insmod /limpet/harm.ko
attach
start control
must within 20 logged 1 '"figure"'

mark
sleep "$reports"
phase idle

mark
for n in $(seq $((reports * 3))); do
	must sh -c 'echo 300 >/sys/module/harm/parameters/off'
	sleep 0.1
done
phase irqs-off

# `limpet ps` and `limpet stat` delay the loop less than its limit, because the layer answers them in short steps.
mark
for n in $(seq "$reports"); do
	limpet ps >/dev/null && limpet stat --json >/tmp/stat || fail "ps and stat" "status $?"
	sleep 0.7
done
phase watched 700

mark
holds "stress-ng" stress-ng --quiet --cpu 1 --vm 1 --vm-bytes 16M --fork 1 --switch 1 --timer 1 \
	--timeout "$((reports + 1))"
phase mix

holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"beneath-latency\"$figures}"
finish
