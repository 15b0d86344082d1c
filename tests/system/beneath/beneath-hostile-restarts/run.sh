#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
echo "{\"wanted\": $(rounds 16 1000)}" >/dev/verdict
deaths_begin beneath-hostile-restarts "$(rounds 8 400)" 1
