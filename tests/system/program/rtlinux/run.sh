#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says NAME LINE: the module has logged exactly this
says() {
	check "$1" "$(since_mark | tail -n 8)" logged 1 "^classic: $2\$"
}

must limpet attach
start "$PWD/classic.limpet"
check "the module is removed" "$(since_mark | tail -n 8)" within 60 logged 1 'classic: module is removed'
says "parameters" 'parameters 5 five 7'
says "periods of a thread" 'periodic 1: 5 rounds'
says "periods of a second thread" 'periodic 2: 5 rounds'
says "waits" 'waits done'
says "init_module" 'init done, 0 wrong'
says "cleanup_module" 'cleanup done, 0 wrong'
equal "nothing is wrong" "" "$(since_mark | grep 'classic: wrong:' | head -3)"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
