#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

cpu1=/sys/devices/system/cpu/cpu1/online

# host_tid: prints the id of the SCHED_FIFO thread, whose policy is field 41 of stat
host_tid() {
	for task in /proc/"$host_pid"/task/*; do
		sed 's/.*) //' "$task/stat" | awk '{ exit $39 != 1 }' && basename "$task"
	done
}

# on_its_cpu: succeeds if the host thread may run only on CPU 1, and ran there last
on_its_cpu() {
	grep -q '^Cpus_allowed_list:.1$' /proc/"$tid"/status &&
		[ "$(sed 's/.*) //' /proc/"$tid"/stat | awk '{ print $37 }')" = 1 ]
}

offline() {
	echo 0 >$cpu1
}

# moved: moves the host thread to the other CPU, as a user with the right to do this
moved() {
	taskset -p 1 "$tid"
}

try_both() {
	tid=$(host_tid)
	continues "$1: runs on CPU 1"
	for n in $(seq "$(part 3 50)"); do
		dmesg -c >/dev/null
		if said=$(offline 2>&1); then
			fail "$1: offline $n" "it was not refused"
		fi
		dmesg | grep -q 'CPU 1 stays online, because a system uses it. Stop the system first' ||
			fail "$1: offline $n" "no reason in dmesg: $(dmesg | tail -3)"
		equal "$1: CPU 1 is online" 1 "$(cat $cpu1)"
		continues "$1: continues after refusal $n"
		check "$1: on CPU 1 again" "$(grep Cpus_allowed /proc/"$tid"/status)" within 20 on_its_cpu
	done
	for n in $(seq "$(part 3 50)"); do
		holds "$1: moved $n" moved
		continues "$1: continues after move $n"
		check "$1: back on CPU 1" "$(grep Cpus_allowed /proc/"$tid"/status)" within 20 on_its_cpu
	done
}

must insmod /limpet/probe.ko
points=$(entry_points)
must limpet attach
for system in loop busy; do
	start $system --cpus 1
	try_both $system
	holds "$system: stop" limpet stop
	equal "$system: entry points are Linux's" "$points" "$(entry_points)"
	holds "$system: offline when nothing runs" offline
	refused "$system: does not start on a CPU that is offline" 'CPU 1 is not online' \
		limpet run $images/$system.limpet --cpus 1
	echo 1 >$cpu1
done
start busy --cpus 0
holds "a CPU that is not used can go" offline
continues "continues without the other CPU"
echo 1 >$cpu1
continues "and with it"
holds "detach" limpet detach --stop
holds "offline after detach" offline
echo 1 >$cpu1
equal "entry points are Linux's in the end" "$points" "$(entry_points)"
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -3)"
finish
