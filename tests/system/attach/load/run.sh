#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

periods() {
	sed -n 's/^loop: periods \([0-9]*\),.*/\1/p' $log | tail -n 1
}
waits() {
	sed -n 's/^loop: periods [0-9]*, waits \([0-9]*\),.*/\1/p' $log | tail -n 1
}
uptime_ms() {
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}
event() {
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

# now: reads the loop's periods from the log, and computes the difference to one period a millisecond since the start of
# the idle time. The loop logs a line after every 500 waits, and counts the periods that it missed. After the load the
# log may arrive late, because the process that writes it is swapped out.
now() {
	had=$(periods) now_ms=$(uptime_ms) lacks=$((now_ms - base_ms - had + base))
}
lacks_little() {
	[ $lacks -gt -1200 -a $lacks -lt 1200 ]
}
up_to_date() {
	now
	lacks_little
}
# has_waited: succeeds if the loop has waited at least 500 times since `begin`
has_waited() {
	[ $(($(waits) - woke)) -ge 500 ]
}
# begin, end SENTENCE NAME: check that the 1 kHz loop has a period for each millisecond between them. It must wait at
# least 500 times, because a slow machine may spend the remaining time on the load.
begin() {
	within 30 up_to_date
	first=$had start_ms=$now_ms woke=$(waits) calls=$(stat_of "kernel calls")
}
end() {
	within 30 has_waited # a load may end sooner
	within 30 up_to_date
	check "$1: a period each millisecond" "$lacks of $((now_ms - base_ms)) are lacking" lacks_little
	had=$((had - first)) went=$((now_ms - start_ms))
	woke=$(($(waits) - woke)) calls=$(($(stat_of "kernel calls") - calls))
	check "$1: the loop waited" "$woke times in $had periods" [ $woke -ge 500 ]
	check "$1: each wait was a kernel call" "$calls for $woke" [ $calls -ge $woke ]
	equal "$1: nothing of the loop's is wrong" "" \
		"$(grep '^loop: ' $log | grep -v 'wrong 0$' | head -n 2)"
	equal "$1: no complaint" "" "$(grep -E '^hog: ' $log | head -n 2)"
	equal "$1: no component faulted" 0 "$(stat_of "faults of components")"
	figures="$figures, \"$2-periods\": $had, \"$2-ms\": $went, \"$2-waits\": $woke, \"$2-calls\": $calls"
}

# Linux prints a call trace for each process that it kills for lack of memory.
splats() {
	dmesg | grep -E 'BUG|WARNING|Oops|RT throttling|soft lockup|stall|hung task' | head -n 3
}

figures=
attach
start "$PWD/load.limpet"
must within 20 logged 2 '^loop: periods'
mark
must within 20 logged 1 '^loop: periods'
base=$(periods) base_ms=$(uptime_ms)

begin
time=$(part 3 240)
holds "stress-ng" stress-ng --quiet --cpu 1 --vm 1 --vm-bytes 32M --fork 2 --switch 1 --timeout "$time"
end "loaded" loaded
equal "loaded: no complaint of Linux" "" "$(splats)"

size=$(($(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo) + 60))
# The reserve is large enough that the swap, which itself needs memory, gets some.
must sh -c 'echo 16384 >/proc/sys/vm/min_free_kbytes'
must sh -c 'echo 256M >/sys/block/zram0/disksize; mkswap /dev/zram0; swapon /dev/zram0'
begin
out=$(event pswpout) in=$(event pswpin)
holds "a process that needs $size MiB" ./eater $size
end "swapping" swapping
out=$(($(event pswpout) - out)) in=$(($(event pswpin) - in))
check "it was swapped out and in" "$out pages out, $in in" [ $out -gt 4000 -a $in -gt 4000 ]
equal "swapping: no complaint of Linux" "" "$(splats)"

must swapoff /dev/zram0
begin
./eater 0
equal "a process that needs everything is killed" 137 $?
check "Linux was out of memory" "$(dmesg | tail -n 3)" sh -c 'dmesg | grep -q "Killed process .*(eater)"'
sleep 1
end "killing" killing
equal "no other process was killed" "" "$(dmesg | grep 'Killed process' | grep -v '(eater)')"

check "the system continues" "$(tail -n 2 $log)" loop_continues
holds "stop" limpet stop
holds "detach" limpet detach
equal "no complaint of Linux at the end" "" "$(splats)"
figure "{\"suite\": \"system\", \"case\": \"load\", \"swapped-out\": $out, \"swapped-in\": $in$figures}"
finish
