#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
echo "{\"wanted\": $(rounds 6 1000)}" >/dev/verdict
deaths_begin beneath-hostile-restarts "$(rounds 5 400)" 1
