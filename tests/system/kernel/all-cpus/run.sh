#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/sides.sh

equal "processors" "$LIMPET_CPUS" "$(nproc)"
if [ "$LIMPET_MODE" = beneath ]; then
	must limpet attach --beneath --memory 192 # each processor has its own memory for the system
else
	attach
fi
start "$PWD/sides-$LIMPET_CPUS.limpet"
sides_run "$LIMPET_CPUS"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
