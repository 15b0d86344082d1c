#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

image=$(rounds stop stop-long)
itself=$(rounds 6000 19500) timed=$(rounds 450 1050)

# line NAME: prints the test's report about stops by this method
line() {
	since_mark | sed -n "s/^top: $1: //p"
}
# some NAME: checks that there were no errors, and that most stops found the thread in the component
some() {
	said=$(line "$1")
	check "$1: each goes back to its caller" "of $timed: $said" sh -c "echo '$said' | grep -q ' wrong 0$'"
	right=$(echo "$said" | sed 's/right \([0-9]*\) .*/\1/')
	check "$1: nearly each was stopped inside" "of $timed: $said" [ "${right:-0}" -gt $((timed / 2)) ]
}
epochs() {
	limpet ps | awk '/THREAD OF/ { exit } $3 ~ /^link-/ { epoch[$3] = $5 }
		END { for (i = 1; i <= 5; i++) printf " %s", epoch["link-" i] }'
}

attach
start "$PWD/$image.limpet"
within $(rounds 100 500) logged 1 '^top: end'
equal "complaints" "" "$(since_mark | grep '^top: wrong' | head -n 3)"
equal "itself: each goes back to its caller" "right $itself of $itself, late 0, wrong 0" "$(line itself)"
some computing
some asleep
equal "limpet ps knows of each stop" "$(since_mark | sed -n 's/^top: stops//p')" "$(epochs)"
equal "no thread is left inside" "" "$(limpet ps | awk '/THREAD OF/ { exit } $3 ~ /^link-|hand-/ && $8 > 0')"
equal "no component faulted" 0 "$(stat_of "faults of components")"
check "the others continue" "$(since_mark | tail -n 2)" loop_continues
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"kernel-stop\", \"stops\": $((itself + 2 * timed))}"
finish
