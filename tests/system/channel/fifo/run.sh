#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

fifos_open() {
	[ -c /dev/rtf0 ] && { true >/dev/rtf0; } 2>/dev/null
}

# ask COMMAND: prints the component's answer
ask() {
	printf %s "$1" >/dev/rtf0
	dd if=/dev/rtf0 bs=64 count=1 2>/dev/null
}

attach
start "$PWD/fifo.limpet"
within 10 fifos_open || fail "FIFOs appear" "$(ls /dev/rtf*; dmesg | tail -n 3)"
equal "bytes from before the open" before "$(dd if=/dev/rtf1 bs=64 count=1 2>/dev/null)"
equal "permissions" 600 "$(stat -c %a /dev/rtf0)"
refused "not created" "No such device" cat /dev/rtf5
equal "records until it is full" 250 "$(ask 'f 0')"
equal "a full FIFO takes no more" -28 "$(ask 'p 1')"
dd if=/dev/rtf1 bs=1000 count=1 of=/tmp/first 2>/dev/null
equal "the rest stays" 3000 "$(ask 'u 1')"
equal "space again" 16 "$(ask 'p 16')"
equal "a wait ends in time" 1 "$(ask 'w 0')"
for what in nonblock waits pair full destroyed several buffer; do
	holds "$what" ./user "$what"
done
equal "the next life creates its FIFOs" before "$(within 20 fifos_open && dd if=/dev/rtf1 bs=64 count=1 2>/dev/null)"
within 20 fifos_open
holds "after the crash" ./user kept
continues "the loop continues"
if [ "$LIMPET_MODE" = beside ]; then
	refused "a second system with the number" "rtf5.*Linux has this name already" limpet run "$PWD/same.limpet"
fi
holds "stops" limpet stop
equal "no node is left" "" "$(ls /dev | grep rtf)"
holds "detach" limpet detach --stop
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -n 3)"
finish
