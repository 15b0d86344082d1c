#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/check.sh
systems=$images

attach
echo 30000 >/proc/sys/kernel/sched_rt_runtime_us
echo 50000 >/proc/sys/kernel/sched_rt_period_us
# Linux's share makes throttling start later. Some of the checks end while throttling keeps the CPU from the system.
for time in 200 220; do
	check_of below --for ${time}ms
	named "throttling with Linux's share, $time ms" no throttling 1
done
run_options="--linux-share 0"
check_of below --for 200ms
named "throttling without Linux's share" no throttling 1
must limpet detach
finish
