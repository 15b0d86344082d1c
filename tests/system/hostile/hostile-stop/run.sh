#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start stop
lab_verdicts $(rounds 120 850)
lab_others
lab_stop
finish
