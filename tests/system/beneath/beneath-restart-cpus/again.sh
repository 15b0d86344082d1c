#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/restart.sh
restarts_continue beneath-restart-cpus
