#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

holds "the processor is one of Intel's" grep -q GenuineIntel /proc/cpuinfo
must limpet attach --trust-components
start "$PWD/sysenter.limpet"
check "the executive serves" "$(since_mark)" within 20 logged 1 '^sysenter: [0-9]+ handler threads$'
for calls in getppid getppid,rest; do
	limpet guest run --calls $calls ./caller 2>/dev/null
	equal "--calls $calls: the guest is killed, because its event crashes the executive" 137 $?
	holds "--calls $calls: the next guest, whose calls go to Linux" limpet guest run --calls getpid ./caller
done
check "SYSENTER is a fault of the executive" "$(limpet ps)" eval 'limpet ps | grep -q "general protection.* in sysenter"'
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
