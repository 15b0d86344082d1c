#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
holds "Linux gives the host thread its pages while components run" \
	./faulter $images/busy.limpet "$(part 1000 30000)" "$(part 30 120)"
figure "{\"suite\": \"system\", \"case\": \"page-fault-multiplex\", \"seen\": \"$said\"}"
check "the system is gone with its process" "$(limpet ps | head -n 1)" within 10 nothing_loaded
# A new system starts without errors.
start busy
check "the next system is right" "$(since_mark | tail -n 3)" loop_continues
equal "and no component faults in it" 0 "$(stat_of "faults of components")"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
