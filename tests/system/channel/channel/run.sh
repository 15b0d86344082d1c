#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# below NAME LEFT RIGHT
below() {
	if [ -n "$2" ] && [ -n "$3" ] && [ "$2" -lt "$3" ]; then
		pass "$1: $2 of $3"
	else
		fail "$1" "'$2' is not below '$3'"
	fi
}

attach
must limpet run ./channel.limpet
sleep 0.3
measured=$(./latency pipe 2>&1; ./latency channel 2>&1)
of() {
	echo "$measured" | sed -n "s/^$1 //p"
}
below "to a component, beside a pipe's one way" "$(of to-component)" "$(of pipe)"
# This is the console's way, through the control device. Programs' channels are nodes: suite table2-beneath asks for
# 0.57 of a pipe there, and has 0.36. Beneath, the control device takes about as long as a pipe: 2 % more at most.
pipe=$(of pipe)
[ "$LIMPET_MODE" = beside ] || pipe=$((pipe * 102 / 100))
below "to a Linux process, beside a pipe's one way" "$(of to-linux)" "$pipe"
[ "$(of pipe)" ] || fail "measured" "$measured"
holds "stops" limpet stop
holds "detaches" limpet detach
finish
