#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says NAME LINE: checks that the program has logged exactly this line
says() {
	check "$1" "$(since_mark | tail -n 5)" logged 1 "^$2\$"
}

# runs NAME PART...: runs a system, and checks that its program has logged each part and found no error. Linux has no
# share of the CPU, because that would interrupt runs of a thread, or make them late.
runs() {
	program=$1
	shift
	start "$PWD/$program.limpet" --linux-share 0
	check "$program ends" "$(since_mark | tail -n 5)" within 60 logged 1 "^$program: (exit status|ended by signal)"
	for part in "$@" 'sporadic done' '0 wrong' 'exit status 0'; do
		says "$program: $part" "$program: $part"
	done
	equal "$program: nothing is wrong" "" "$(since_mark | grep "^$program: wrong: " | head -3)"
	since_mark | grep "^$program: costs: "
	check "$program: the reason is in the log" "$(since_mark)" logged 1 \
		'system call 144 of Linux \(sched_setscheduler\) is not served in this form, the program gets ENOTSUP: '
}

must limpet attach
runs deadline 'throttled at its runtime' 'sched_yield ends a job' 'reservations done' 'times done'
holds "deadline: stop" limpet stop
runs fixed
check "fixed: the reason is in the log" "$(since_mark)" logged 1 \
	'system call 314 of Linux \(sched_setattr\) is not served in this form, the program gets EINVAL: the scheduler has no'
holds "fixed: stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
