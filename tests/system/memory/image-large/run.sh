#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

size=$(stat -c %s large.limpet)
check "the image is almost 1 GiB" "$size bytes" [ "$size" -gt $((960 << 20)) -a "$size" -le $((1 << 30)) ]
attach
for round in 1 2; do
	start "$PWD/large.limpet"
	for part in $(seq 0 33); do
		within 60 logged 1 "^part$part: end"
		equal "$round: the data of part $part" "part$part: data: 2 and 4, 4095 zeros" \
			"$(since_mark | grep "^part$part: data")"
	done
	equal "$round: the ramdisk" "4 part33: file of 115343360 bytes: 28160 pages right" \
		"$(since_mark | grep '^part33: file' | sort | uniq -c | sed 's/^ *//')"
	holds "$round: ps" limpet ps
	holds "$round: stop" limpet stop
done
holds "detach" limpet detach
linux_is_well
finish
