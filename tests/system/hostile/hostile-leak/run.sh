#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start leak
for party in lab above below beside; do lab_verdicts $(rounds 60 90) $party; done
equal "the secret stays its own" "" "$(grep '^secret: not' $log | head -n 3)"
check "the secret was there" "$(limpet ps)" \
	[ "$(limpet ps | awk '/THREAD OF/ { threads = 1 } threads && $3 == "secret" { print $8 }')" -gt $(rounds 400 1000) ]
# In beneath mode components have no protection keys.
if [ "$LIMPET_MODE" = beside ] && processor_is_max; then
	equal "protection keys are not skipped" "" "$(grep 'protection keys are not checked' $log | head -n 3)"
fi
lab_stop
finish
