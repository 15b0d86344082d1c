#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/death.sh

begin
must insmod /limpet/harm.ko
echo "last words" >/dev/console
echo 1 >/sys/module/harm/parameters/shutdown
sleep 0.2
echo "Linux lives on" >/dev/console
