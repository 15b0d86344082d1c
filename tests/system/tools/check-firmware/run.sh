#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/check.sh
systems=$images
cpu1=/sys/devices/system/cpu/cpu1/online
every=/sys/module/firmware/parameters/every

# firmware LENGTH: each SMI of CPU 0 takes LENGTH us
firmware() {
	[ ! -e $every ] || must rmmod firmware
	must insmod /limpet/firmware.ko length="$1"
}

# with_smis EVERY SYSTEM OPTIONS...: checks a system while an SMI comes in each EVERY us
with_smis() {
	echo "$1" >$every
	shift
	check_of "$@"
	echo 0 >$every
}

# with_cpu1 VALUE SYSTEM OPTIONS...: checks a system while CPU 1 goes offline (0) or online (1), `after` ms from now
after=300
with_cpu1() {
	{
		usleep ${after}000
		echo "$1" >$cpu1
	} &
	shift
	check_of "$@"
	wait $!
	check "the CPUs changed" "$(cat /tmp/json)" grep -q '"cpus_changed": true' /tmp/json
}

# The emulator's CPUs take turns, and hwlat sees the turns of a second CPU as stops. So this CPU is off at first.
must sh -c "echo 0 >$cpu1"
firmware 4000
attach
run_options="--cpus 0"
check_of healthy --for 200ms
named "no SMI" yes none 0
check_of watched --for 200ms
check "no SMI: hwlat sees no stop" "$(cat /tmp/json)" grep -qE '"longest_gap_us": [0-9]?[0-9][.]' /tmp/json
must limpet stop
with_smis 50000 healthy --for 300ms
named "SMIs of 4 ms" no smi 1
check "SMIs of 4 ms: their number" "$(cat /tmp/json)" grep -qE '"smis": ([4-9]|1[0-9]),' /tmp/json
with_smis 49300 long --for 500ms
named "SMIs of 4 ms in the job" no smi 1

# SMIs come, but each takes only 1 us.
firmware 1
with_smis 100000 overrun --for 500ms
named "short SMIs, and each tenth job is longer" no own-code 1

must sh -c "echo 1 >$cpu1"
if [ "$LIMPET_MODE" = beneath ]; then
	with_cpu1 0 healthy --for 600ms
	named "CPU 1 goes offline" yes none 0
	with_cpu1 1 healthy --for 600ms
	named "CPU 1 comes back" yes none 0
	run_options="--cpus 1"
	with_cpu1 0 healthy --for 600ms
	named "the system's CPU goes offline" yes none 0
	echo 1 >$cpu1
else
	# If the change comes at least 100 ms after the start of a check of 600 ms, each of its jobs is within half a second
	# of it. Otherwise the worst job can be one that Linux delayed at another time. A CPU that goes offline stops CPU 0
	# for less than a millisecond, so this can come between two jobs. A CPU that comes back stops it for 10 ms.
	hits=0
	for after in $(seq 200 17 400); do
		[ $hits -lt 2 ] || break
		with_cpu1 0 healthy --for 600ms --late 10
		if [ "$(value realtime)" = yes ]; then
			named "CPU 1 goes offline between two jobs" yes none 0
		else
			named "CPU 1 goes offline after $after ms" no cpu-offline 1
			hits=$((hits + 1))
		fi
		with_cpu1 1 healthy --for 600ms --late 10
		named "CPU 1 comes back after $after ms" no cpu-offline 1
	done
	equal "late jobs when CPU 1 goes offline" 2 $hits
fi

# A counted run always has the same phases. In beneath mode the SMIs do not meet the time in which hwlat looks.
if [ "$LIMPET_MODE" != beneath ]; then
	must sh -c "echo 0 >$cpu1"
	# Without the module msr, Linux does not show the number of SMIs.
	must rmmod msr
	firmware 4000
	with_smis 20300 watched --for 500ms
	named "stops that only hwlat sees" no stall 1
	check "the longest stop" "$(cat /tmp/json)" grep -qE '"longest_gap_us": [3-9][0-9][0-9][0-9][.]' /tmp/json
	with_smis 20300 healthy --for 300ms
	equal "stops that nothing sees: the verdict" no "$(value realtime)"
	must limpet stop
fi
must limpet detach
finish
