#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/sides.sh

equal "processors" "$LIMPET_CPUS" "$(nproc)"
all=$LIMPET_CPUS half=$((LIMPET_CPUS / 2))
attach
for round in 1 2; do
	start "$PWD/sides-$all.limpet"
	sides_run "$all"
	holds "$round: stop" limpet stop
done
start "$PWD/sides-$half.limpet" --cpus "$(seq -s , $((all - 1)) -1 $half)"
sides_run "$half"
holds "stop of the last $half" limpet stop
holds "detach" limpet detach
linux_is_well
finish
