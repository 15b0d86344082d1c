#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
deaths_begin beneath-hostile-restarts "$(rounds 50 1000)"
