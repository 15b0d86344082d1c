#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/restart.sh
restarts_begin beneath-restart-cpus
