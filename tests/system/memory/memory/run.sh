#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start memory
lab_verdicts 60
lab_others
# Repaired page faults and invalid accesses count as faults. The lab, the managers and the others must have no faults.
equal "no other component faults" "left right inner" \
	"$(limpet ps | awk '/THREAD OF/ { exit } $1 == 0 && $6 > 0 { printf "%s%s", s, $3; s = " " }')"
lab_stop
finish
