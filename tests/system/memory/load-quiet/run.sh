#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/systems.sh

# worst: prints the maximum lateness of the 1 kHz loop since `mark`
worst() {
	since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | sort -n | tail -n 1
}

attach
launch loop --priority 91
within 20 logged 4 '"figure".*"timer"'
alone=$(worst)
mark
for round in 1 2 3; do
	must limpet run "$PWD/large.limpet"
	must limpet --system large stop
done
within 20 logged 3 '"figure".*"timer"'
# Linux is not preempted while it finds contiguous memory. The check of the image takes eight million for each MiB.
loaded=$(worst)
check "the loop's lateness" "$loaded instructions, alone $alone" [ "${loaded:-999999999}" -le 48000000 ]
figure "{\"suite\": \"system\", \"case\": \"load-quiet\", \"alone\": ${alone:-0}, \"max\": ${loaded:-0}}"
holds "stops" limpet stop
holds "detaches" limpet detach
finish
