#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# Linux itself has grown by at most 7 pages in all runs with one CPU, and by at most 47 with two. With these limits 40
# rounds with one CPU, which `make test` runs, find a leak of one page a round. With two CPUs that takes the rounds of
# `make test-all`, and 40 rounds find a leak of three pages.
count=$(part 40 1000)
if [ "$LIMPET_CPUS" -eq 1 ]; then growth=15; else growth=40; fi
warm=8

# as_it_was: checks the state that each round must restore exactly
as_it_was() {
	[ "$(entry_points)" = "$points" ] || broken="entry points: $(entry_points | tr '\n' ' ')"
	[ ! -e /dev/limpet/control ] || broken="/dev/limpet/control is still there"
	! grep -q '^limpet ' /proc/modules || broken="the module is still there"
	! grep -q limpet /sys/devices/system/cpu/hotplug/states || broken="a hotplug state is left"
	[ -z "$broken" ]
}

# cycle N: runs an image, stopped in one of both ways, early or late. N selects them
cycle() {
	case $(($1 % 3)) in 0) image=ping ;; 1) image=control ;; 2) image=hog ;; esac
	limpet attach && limpet run $images/$image.limpet || return 1
	usleep $(($1 * 7919 % 50000))
	if [ $(($1 % 2)) -eq 0 ]; then
		limpet stop && limpet detach
	else
		limpet detach --stop
	fi
}

# cycles FROM TO: runs these rounds, and stops at the first failure
cycles() {
	n=$1
	while [ -z "$broken" ] && [ "$n" -lt "$2" ]; do
		said=$(cycle "$n" 2>&1) || broken="round $n: $said"
		as_it_was || broken="round $n: $broken"
		n=$((n + 1))
	done
}

must insmod /limpet/probe.ko
tainted=$(cat /proc/sys/kernel/tainted)
points=$(entry_points)
broken=
cycles 0 $warm
memory_mark
cycles $warm $((warm + count))

equal "rounds" "" "$broken"
equal "taint is that of any module built out of tree" "$tainted" "$(cat /proc/sys/kernel/tainted)"
memory_kept $count $growth
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"attach-detach\", \"rounds\": $count, $memory_drift}"
finish
