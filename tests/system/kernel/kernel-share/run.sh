#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

complaints() {
	dmesg | grep -E 'RT throttling|soft lockup|stall|hung task|BUG|WARNING' | head -n 3
}

# between NAME LOW HIGH VALUE
between() {
	check "$1" "$4 is not in $2 to $3" [ "$4" -ge "$2" -a "$4" -le "$3" ]
}

# measure SECONDS: sets a process's CPU share, its longest time without the CPU, the number of enforcements, and their
# time
measure() {
	set -- $(./counter "$1")
	got=$1 without=$2
	given=$(stat_of "times Linux's share was enforced")
	time=$(limpet stat | sed -n '1s/.* for \([0-9]*\)\..*/\1/p')
}

# as_wanted: succeeds if the last measurement is within the limits
as_wanted() {
	[ "$got" -ge "$low" -a "$got" -le "$high" -a "$without" -ge 1 -a "$without" -le "$longest" ] &&
		[ "$given" -ge $((time * 17)) -a "$given" -le $((time * 27 + 27)) ]
}

# share SECONDS PER_MILLE LOW HIGH LONGEST [OPTION...]
share() {
	seconds=$1 per_mille=$2 low=$3 high=$4 longest=$5
	shift 5
	start hog "$@"
	for try in $(seq 8); do # the machine may pause during some tries
		measure "$seconds"
		! as_wanted || break
	done
	between "$per_mille: what Linux got, per mille" "$low" "$high" "$got"
	between "$per_mille: longest time without, ms" 1 "$longest" "$without"
	between "$per_mille: times it was enforced" $((time * 17)) $((time * 27 + 27)) "$given"
	equal "$per_mille: stat says so" "$per_mille" \
		"$(limpet stat | sed -n 's/.* \([0-9]*\) per mille of each CPU for Linux/\1/p')"
	loop_continues && pass "$per_mille: the control loop continues" ||
		fail "$per_mille: the control loop continues" "$(since_mark | tail -n 2)"
	holds "$per_mille: stop" limpet stop
	equal "$per_mille: no complaint of Linux" "" "$(complaints)"
	figure "{\"suite\": \"system\", \"case\": \"kernel-share\", \"per-mille\": $per_mille, \"got\": $got, \"longest-ms\": $without, \"enforced\": $given}"
}

must limpet attach
for try in $(seq 8); do
	idle=$(./counter 1)
	[ "${idle% *}" -lt 850 ] || break
done
between "without a system a process gets everything" 850 1000 "${idle% *}"
share 5 100 80 160 200
share $(part 2 10) 300 260 350 160 --linux-share 300
share 2 600 540 660 160 --linux-share 600
holds "detach" limpet detach
finish
