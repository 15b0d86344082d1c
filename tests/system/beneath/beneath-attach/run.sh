#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

count=$(part 5 1000)
nmis=$(part 20 200)

load="stress-ng --quiet --cpu $LIMPET_CPUS --vm 1 --vm-bytes 32M --fork 2 --switch 1 --timer 1 --pipe 1"

must insmod /limpet/probe.ko
points=$(entry_points)
steps=$(./steps)
attach
timers "beneath"
equal "single steps are traps" "$steps" "$(./steps)"
equal "entry points are Linux's" "$points" "$(entry_points)"
hidden=$(dmesg | sed -n 's/.*limpet: beneath .* MiB hidden at \(0x[0-9a-f]*\)$/\1/p')
mib=$(dmesg | sed -n 's/.*limpet: beneath .* \([0-9]*\) MiB hidden at .*/\1/p')
holds "the hidden memory is looked at" insmod /limpet/peek.ko at="$hidden" pages=$((mib * 256))
equal "it is all zeros" 0 "$(cat /sys/module/peek/parameters/bytes)"
equal "none of it can be written" 0 "$(cat /sys/module/peek/parameters/written)"
holds "load" $load --timeout 2
nmi_each "$nmis"
start ping
check "a system runs" "$(since_mark | tail -3)" within 30 logged 1 'ping: done'
holds "it stops" limpet stop
timers "after load"
holds "detach" limpet detach
timers "detached"
equal "entry points are as they were" "$points" "$(entry_points)"

memory_mark
$load --timeout 0 & # without a time limit
loader=$!
# The load preempts commands of this priority less, so that a round takes less time.
for n in $(seq "$count"); do
	must nice -n -10 limpet attach --beneath
	usleep $((n * 7919 % 300000))
	must nice -n -10 limpet detach
	usleep $((n * 104729 % 50000))
done
holds "the load is there to the end" kill $loader
wait
pass "attached and detached $count times under load"
timers "in the end"
equal "entry points are Linux's in the end" "$points" "$(entry_points)"
memory_kept "$count"
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"beneath-attach\", \"rounds\": $count, $memory_drift}"
finish
