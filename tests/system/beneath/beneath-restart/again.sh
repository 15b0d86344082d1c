#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
cd /limpet/tests/beneath-restart || exit
. /limpet/restart.sh
restarts_continue beneath-restart
