#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start control
continues "a system runs"
holds "stop" limpet stop
finish
/limpet/kexec /limpet/vmlinuz "console=ttyS0 panic=0 nopti the-other-one"
echo "Linux lives on" >/dev/console
