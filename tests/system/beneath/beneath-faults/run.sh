#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/deaths.sh
. /limpet/system.sh
deaths_begin beneath-faults $(part 1 200) 1
