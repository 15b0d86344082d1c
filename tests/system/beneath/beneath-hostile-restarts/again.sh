#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
deaths_continue || deaths_end beneath-hostile-restarts
wild_play 4
