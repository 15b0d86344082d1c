#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/death.sh

begin
echo "last words" >/dev/console
sysrq b
sleep 0.2
echo "Linux lives on" >/dev/console
