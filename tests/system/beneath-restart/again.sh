#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The Linuxes after it.
. /limpet/system.sh
mark
dmesg | tail -5
must limpet attach --beneath
echo "$said"
limpet ps
goes_on "the loop goes on"
finish
echo '{"end": "beneath-restart", "status": 0}' >/dev/verdict
