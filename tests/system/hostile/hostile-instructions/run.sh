#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start instructions
lab_verdicts $(rounds 200 800)
lab_others
lab_faults 100
lab_stop

# Each of its faults, calls and switches has a barrier.
rm -f $log
lab_start barrier
lab_verdicts $(rounds 200 800)
lab_others
lab_faults 100
faults=$(stat_of 'faults of components')
check "barriers" "$(stat_of 'branch predictor barriers'), with $faults faults" \
	[ "$(stat_of 'branch predictor barriers')" -ge "${faults:-0}" ]
lab_stop
finish
