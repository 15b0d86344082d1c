#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A Linux that the machine has booted dies while a 1 kHz loop runs. Another Linux follows, with the same kernel, command
# line and root, plus an empty file. Each reads the time stamp as its first action, which ends its boot.
now=$(ticks)
. /limpet/bench/common.sh

# took SUBJECT SINCE: the time from there to this Linux's first program
took() {
	n=$((now - $2))
	echo "{\"figure\": {\"suite\": \"beneath\", \"case\": \"restart\", \"subject\": \"$1\", \"n\": 1, \
\"min\": $n, \"median\": $n, \"p99\": $n, \"max\": $n, \"mean\": $n, \"stddev\": 0}}" | send
}

# died: the time at which the previous Linux died
died() {
	limpet log --previous --json | sed -n '1s/.*"ticks": *\([0-9]*\).*/\1/p'
}

if [ ! -e /limpet/again ]; then
	# The value that bench/entry.py has stored.
	entry=$(od -An -t u8 -j 576 -N 8 /sys/kernel/boot_params/data)
	must [ "$entry" -gt 0 ]
	took cold-boot "$entry"
	touch /limpet/again
	must /limpet/pack /tmp/initrd
	must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd >/dev/null
	rm /tmp/initrd
	system_start outlive
	await 60 1 'a period of'
	say "Linux panics; another is started beneath a system's 1 kHz loop"
	echo c >/proc/sysrq-trigger
fi
mark
must limpet attach --beneath >/dev/null
took limpet "$(died)"
await 60 1 '"histogram"'
! marked | grep 'were dropped' || exit 1
timer_reports restart 1 1
