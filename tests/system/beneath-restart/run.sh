#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The first Linux of four: each hands on its own root, and what to run there.
. /limpet/restart.sh

COUNTED=1
pack
must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd \
	--append "limpet.run=/limpet/tests/beneath-restart/again.sh LIMPET_MODE=beneath COUNTED=$COUNTED"
rm /tmp/initrd
start restart
unharmed "nothing"
echo c >/proc/sysrq-trigger
