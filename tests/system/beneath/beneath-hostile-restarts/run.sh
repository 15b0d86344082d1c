#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
echo "{\"wanted\": $(part 2 1000)}" >/dev/verdict
deaths_begin beneath-hostile-restarts $(part 2 600) 1
