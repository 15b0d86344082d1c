#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

cpu=/sys/devices/system/cpu/cpu1/online

# online NAME VALUE CPUS: switches Linux's second CPU on (1) or off (0)
online() {
	holds "$1" sh -c "echo $2 >$cpu"
	equal "Linux's processors: $1" "$3" "$(nproc)"
}

must insmod /limpet/probe.ko
points=$(entry_points)
attach
start control --cpus 1
loop_continues || fail "the loop runs on the second CPU" "$(since_mark | tail -n 2)"
online "the CPU goes offline" 0 1
continues "the loop has it alone"
holds "ps" limpet ps
online "the CPU comes back" 1 2
continues "the loop continues beside Linux there"
holds "its timer wakes there" timeout 20 taskset 2 sleep 0.1
online "it goes again" 0 1
holds "stop" limpet stop
start control --cpus 1
continues "a system begins on a CPU that Linux does not have"
holds "stop it" limpet stop
holds "detach, with a CPU offline" limpet detach
equal "it is offline as before" 0 "$(cat $cpu)"
online "Linux has all again" 1 2
equal "entry points are as they were" "$points" "$(entry_points)"
check "all have AMD-V" "$(grep -c svm /proc/cpuinfo) CPUs" [ "$(grep -cw svm /proc/cpuinfo)" -eq 2 ]
must limpet attach --beneath
holds "attach, and detach" limpet detach
linux_is_well
finish
