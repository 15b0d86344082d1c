#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/verdict.sh

release=$(uname -r)
case $LIMPET_KERNEL in
6.1 | 6.12) wanted="$LIMPET_KERNEL.*-amd64" realtime= ;;
*-rt) wanted="${LIMPET_KERNEL%-rt}.*-rt-amd64" realtime=1 ;;
*-debug) wanted="${LIMPET_KERNEL%-debug}.*-limpet-debug" realtime= ;;
esac
check release "uname -r says $release, wanted $wanted" expr "$release" : "$wanted\$"
check version "/proc/version does not name $release" grep -qF "$release" /proc/version
equal cpus "$LIMPET_CPUS" "$(nproc)"
equal realtime "$realtime" "$(cat /sys/kernel/realtime 2>/dev/null)"
check notifiers "no preempt notifiers" grep -q preempt_notifier_register /proc/kallsyms
equal taint 0 "$(cat /proc/sys/kernel/tainted)"
finish
