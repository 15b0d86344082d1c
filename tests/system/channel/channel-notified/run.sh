#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attach
start "$PWD/notified.limpet"
within 20 [ -c /dev/limpet/few ]
check "each of 300 waits ends" "$(./waiter 300 2>&1 | tee /tmp/waiter)" grep -q done /tmp/waiter
holds "stops" limpet stop
holds "detaches" limpet detach
finish
