#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

opens() {
	[ -c /dev/limpet/bytes ] && { true >/dev/limpet/bytes; } 2>/dev/null
}

attach
start "$PWD/scribbled.limpet"
within 10 opens || fail "channels appear" "$(ls /dev/limpet; dmesg | tail -n 3)"
holds "before" ./scribble echo 0
for seed in $(seq $(rounds 2 3)); do
	mark
	holds "messages, seed $seed" ./scribble echo "$seed"
	holds "bytes, seed $seed" ./scribble bytes "$seed"
	goes_on "the loop goes on, seed $seed"
done
holds "it was nonsense that came, and nobody was restarted" ./scribble verdict 0
holds "stops" limpet stop
holds "detaches" limpet detach
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -n 3)"
finish
