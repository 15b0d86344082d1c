#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
echo "{\"wanted\": $(rounds 5 1000)}" >/dev/verdict
deaths_begin beneath-hostile-restarts "$(rounds 6 400)" 1
