#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. ./x2apic.sh

x2apic lapic
interrupted "before"
attach
interrupted "beneath"
start ping
check "a system runs" "$(since_mark | tail -3)" within 30 logged 1 'ping: done'
holds "it stops" limpet stop
holds "detach" limpet detach
interrupted "detached"
linux_is_well

must /limpet/pack /tmp/initrd
must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd --append \
	"limpet.run=/limpet/tests/beneath-x2apic/again.sh LIMPET_MODE=beneath LIMPET_CPUS=$LIMPET_CPUS BEFORE=$verdicts"
start restart
sysrq c
