#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# part_done NAME: the module has finished this part without a failure
part_done() {
	check "$1" "$(since_mark | tail -n 5)" within 20 logged 1 "^computing: $1 done, 0 wrong\$"
}

attach
start "$PWD/computing.limpet"
part_done deletion
part_done cancellation
part_done suspension
part_done signals
part_done library
part_done "timers and notices"
part_done handlers
printf s >/dev/rtf0
part_done "FIFO handler: suspension"
printf d >/dev/rtf0
part_done "FIFO handler: deletion"
equal "nothing is wrong" "" "$(since_mark | grep 'computing: wrong:' | head -5)"
holds "stop" limpet stop
check "the module is removed" "$(since_mark | tail -n 3)" logged 1 '^computing: module is removed$'
holds "detach" limpet detach
linux_is_well
finish
