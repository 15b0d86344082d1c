#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

must grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
holds "the processor has PCID" grep -qw pcid /proc/cpuinfo
equal "and it has no INVPCID" "" "$(grep -ow invpcid /proc/cpuinfo)"
attach
start stale --linux-share 300
lab_verdicts 120
lab_stop
must limpet attach --trust-components
: >$log
start stale --linux-share 300
lab_verdicts 120
lab_stop
finish
