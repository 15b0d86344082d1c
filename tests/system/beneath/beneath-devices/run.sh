#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/tests/beneath-devices/lib.sh

must insmod /limpet/registers.ko
must insmod /limpet/harm.ko
devices_are "before" 60 11e81234
attach
devices_are "attached" 60 11e81234

# Measures the time from the device to its driver without load. (The driver polls the timer a little early. A device
# gives no notice.)
max=2000
start $here/hpet.limpet
for n in $(seq 5); do
	must sh -c 'echo 300 >/sys/module/harm/parameters/off'
done
check "an interrupt is in time, whatever Linux does" "$(worst hpet) ns" [ "$(worst hpet)" -le $max ]
figure "{\"suite\": \"system\", \"case\": \"device\", \"subject\": \"hpet\", \"max\": $(worst hpet)}"
holds "stop that" limpet stop

start $here/devices.limpet
devices_are "given to components" ff ffffffff
count=$(register $((hpet + 0xf0)))
check "Linux continues reading the HPET's counter" "$count" [ "$count" != "$(register $((hpet + 0xf0)))" ]
hidden "beside a living Linux"
check "the device's own memory is the component's" "$(cat $log)" grep -q 'edu: the device is 0x10000ed' $log
equal "the loop misses no period" "" "$(grep '"overruns"' $log | grep -v '"count": 0}')"
refused "a second system" 'A system is loaded already' limpet run $here/devices.limpet
holds "stop" limpet stop
devices_are "given back" 60 11e81234
holds "detach" limpet detach
devices_are "detached" 60 11e81234

# The next Linux continues the count of checks.
must /limpet/pack /tmp/initrd
must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd --append \
	"limpet.run=$here/again.sh LIMPET_MODE=beneath LIMPET_CPUS=$LIMPET_CPUS VERDICTS=$verdicts"
start $here/devices.limpet
must within 60 all_continue
sysrq c
