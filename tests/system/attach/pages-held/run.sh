#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# all_continues: checks that limpet, the system's loop and the hotplug of CPUs work
all_continues() {
	ends "limpet ps" loop limpet --system 0 ps
	continues "the loop continues"
	[ "$LIMPET_CPUS" = 1 ] ||
		ends "a CPU goes offline and comes back" back sh -c \
			'cd /sys/devices/system/cpu/cpu1 && echo 0 >online && echo 1 >online && echo back'
}

if [ "$LIMPET_MODE" = beside ]; then
	attach
	start loop
fi
# Linux chooses the pages, so a try does not always get some at the top.
for try in 1 2 3 4 5; do
	rm -f /tmp/holds # the previous server can still write to it
	./held >/tmp/holds &
	held=$!
	within 60 grep -qs holds /tmp/holds
	if grep -q 'holds [1-9]' /tmp/holds; then break; fi
	echo "try $try: $(cat /tmp/holds) of the highest pages"
	kill $held
	wait $held
	umount /tmp/held
done
check "pages at the top of the memory are locked" "$(cat /tmp/holds)" grep -q 'holds [1-9]' /tmp/holds
if [ "$LIMPET_MODE" = beside ]; then
	ends "a second system starts" 'host process' limpet run "$PWD/large.limpet"
	all_continues
	ends "the second system stops" stopped sh -c 'limpet --system large stop && echo stopped'
else
	ends "attach" ended sh -c 'limpet attach --beneath --memory 40 && echo ended'
	start loop
	all_continues
fi
ends "limpet stop" stopped sh -c 'limpet stop && echo stopped'
kill $held
wait $held
holds "unmount" umount /tmp/held
holds "detach" limpet detach
linux_is_well
finish
