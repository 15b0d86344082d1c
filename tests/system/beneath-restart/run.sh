#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/restart.sh
COUNTED=1
restarts_begin beneath-restart
