#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

must /limpet/pack /tmp/initrd
must limpet attach --beneath --heartbeat 10 --kernel /limpet/vmlinuz --initrd /tmp/initrd --append \
	"limpet.run=/limpet/tests/rtlinux-restart/again.sh LIMPET_MODE=beneath LIMPET_CPUS=$LIMPET_CPUS"
rm /tmp/initrd
start "$PWD/steady.limpet"
check "the module is loaded" "$(since_mark | tail -n 3)" within 20 logged 1 'module is loaded$'
set -- $(./partner 2>&1)
equal "the partner's first request" 1 "$1"
sysrq c
