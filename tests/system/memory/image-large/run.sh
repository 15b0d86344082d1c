#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

available_mib() {
	awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo
}

# The host process still frees its copy of the image when `limpet stop` ends.
is_back() {
	[ "$(available_mib)" -gt $((before - 100)) ]
}

size=$(stat -c %s large.limpet)
check "the image is almost 1 GiB" "$size bytes" [ "$size" -gt $((960 << 20)) -a "$size" -le $((1 << 30)) ]
attach
before=$(available_mib)
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
	running=$(available_mib)
	holds "$round: stop" limpet stop
	within 20 is_back
	check "$round: the memory comes back" "$before MiB before, $running while it ran, $(available_mib) after" \
		[ "$(available_mib)" -gt $((before - 100)) -a "$running" -lt $((before - 1500)) ]
done
holds "detach" limpet detach
linux_is_well
finish
