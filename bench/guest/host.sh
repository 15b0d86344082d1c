#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite host: a fixed job of Linux without Limpet, attached, and with an idle system. The cases alternate, because a
# running Linux drifts: its memory fills and fragments.
. /limpet/bench/common.sh

iterations=6
rounds=6

# samples SUBJECT: takes more samples of it
samples() {
	must job measure $iterations >>/tmp/"$1"
}

for round in $(seq $rounds); do
	say "round $round of $rounds"
	if [ $round -le $((rounds / 2)) ]; then samples before; else samples after; fi
	must limpet attach --module /limpet/limpet.ko >/dev/null
	samples attached
	system_start ping
	await 60 1 'ping: done'
	samples running
	must limpet detach --stop >/dev/null
done
for subject in before attached running after; do
	measure job figure $subject </tmp/$subject
done
