#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the Linux after the first one's death. It never had the devices.
. /limpet/tests/beneath-devices/lib.sh

verdicts=$VERDICTS
must insmod /limpet/registers.ko
must limpet attach --beneath
equal "the serial port: the next Linux" ff "$(port $line)"
equal "it has no such PCI function" "" "$(identity)"
equal "nor can it read the HPET" 0xffffffff "$(register $((hpet + 0xf0)))"
hidden "beneath the next Linux"
check "components heard of the death" "$(grep host: $log)" grep -q 'host: Linux has ended, reason 1' $log
check "and of the next Linux" "$(grep host: $log)" grep -q 'host: Linux begins, event 2' $log
equal "no period was missed" "" "$(grep '"overruns"' $log | grep -v '"count": 0}')"
linux_is_well
finish
echo "{\"end\": \"beneath-devices\", \"status\": 0}" >/dev/verdict
echo "last words" >/dev/console
sysrq c
