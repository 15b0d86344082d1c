#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The first Linux of three. What it hands on is its own root, and what to run there.
. /limpet/system.sh

# What is mounted over the root is not the root's.
mkdir /tmp/root
mount --bind / /tmp/root
must sh -c 'cd /tmp/root && find . | cpio -o -H newc >/tmp/initrd 2>/dev/null'
again="limpet.run=/limpet/tests/beneath-restart/again.sh LIMPET_MODE=beneath"
must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd --append "$again"
start restart
goes_on "the loop runs"
echo c >/proc/sysrq-trigger
