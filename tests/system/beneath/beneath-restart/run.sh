#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
COUNTED=1
. /limpet/restart.sh
restarts_begin beneath-restart
