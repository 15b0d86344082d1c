#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/offline.sh

attach
start control
echo '{"add": "cpu"}' >/dev/verdict
check "a processor is added" "$(ls /sys/devices/system/cpu)" within 20 [ -e $cpu1 ]
check "CPU 1 does not come online" "$(dmesg | tail -n 3)" [ "$(nproc)" -eq 1 ]
if said=$(sh -c "echo 1 >$cpu1" 2>&1); then
	fail "CPU 1 is refused" "it came online"
else
	check "CPU 1 is refused" "$said; $(dmesg | tail -n 3)" \
		sh -c "dmesg | grep -q 'limpet: CPU 1 stays offline: attached beneath without it; detach first'"
fi
must insmod /limpet/wake.ko at=0 pages=1 cpu=1
equal "an NMI does not wake it" 0 "$(cat /sys/module/wake/parameters/woken)"
must rmmod wake
goes_on "the loop goes on"
holds "stop" limpet stop
holds "detach" limpet detach
given_back "detached"
linux_is_well
finish
