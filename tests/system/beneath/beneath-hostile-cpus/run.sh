#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
deaths_begin beneath-hostile-cpus $(part 1 400) 10
