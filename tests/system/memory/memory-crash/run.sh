#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$(pwd)/crash.limpet"
within 60 logged 1 'driver: done' || fail "all is tried" "$(since_mark | tail -3)"
for what in "at first" "at its checkpoint" "from its image" "what came later is gone" "what it had given back is back" \
	"nothing is lost by a hundred crashes"; do
	check "$what" "$(grep '^driver: ' $log | tail -5)" grep -qx "driver: right: $what" $log
done
faults() {
	limpet ps | awk -v name="$1" '/THREAD OF/ { exit } $3 == name { print $6 }'
}
equal "limpet ps counts unrepaired faults" "$(sed -n 's/^driver: crashes //p' $log)" "$(faults kept) $(faults fresh)"
check "limpet stat counts repaired ones, too" "$(limpet stat)" \
	[ "$(stat_of "faults of components")" -gt $(($(faults kept) + $(faults fresh))) ]
holds "stop" limpet stop
holds "detach" limpet detach
finish
