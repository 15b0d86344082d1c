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
below "to a Linux process, beside a pipe's one way" "$(of to-linux)" "$(of pipe)"
[ "$(of to-linux)" ] || fail "measured" "$measured"
holds "stops" limpet stop
holds "detaches" limpet detach
finish
