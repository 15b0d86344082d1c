#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start instructions
lab_verdicts $(rounds 200 800)
lab_others
lab_faults 100
lab_stop
finish
