#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/channel.sh

attach
start_channels scribbled
holds "before" ./scribble echo 0
for seed in $(seq $(rounds 2 3)); do
	mark
	holds "messages, seed $seed" ./scribble echo "$seed"
	holds "bytes, seed $seed" ./scribble bytes "$seed"
	continues "the loop continues, seed $seed"
done
holds "it was nonsense that came, and no side was restarted" ./scribble verdict 0
holds "stops" limpet stop
holds "detaches" limpet detach
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -n 3)"
finish
