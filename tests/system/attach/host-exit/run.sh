#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

must limpet attach
for round in $(seq "$(part 3 30)"); do
	for image in loop busy; do
		for way in thread exec exec-self exec-shared closed killed; do
			holds "$way, $image, round $round" ./leave $images/$image.limpet $way
		done
	done
done
start busy
continues "another system"
holds "detach" limpet detach --stop
linux_is_well
finish
