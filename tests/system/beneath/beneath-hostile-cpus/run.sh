#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
deaths_begin beneath-hostile-cpus "$(rounds 3 201)" 10
