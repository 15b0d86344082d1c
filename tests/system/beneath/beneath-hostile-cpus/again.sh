#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
deaths_continue || deaths_end beneath-hostile-cpus
wild_play 10
