#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

calls=clock_gettime,gettimeofday,time,nanosleep,clock_nanosleep,rt_sigreturn

# as_guest COMMAND...: runs a command as a guest with a new clock, with the filter in $list
as_guest() {
	timeout -s KILL 60 limpet guest run --executive clock --calls $list -- "$@"
}

# repeats NAME COMMAND...: runs a command as a guest. In turn 2, checks that it ends and prints as in turn 1, and then
# /tmp/first has the output of turn 1. Fails in turn 1
repeats() {
	repeated=$1 runs=$((runs + 1))
	shift
	as_guest "$@" >/tmp/turn$turn.$runs 2>&1
	echo $? >/tmp/status$turn.$runs
	[ $turn = 2 ] || return
	cp /tmp/turn1.$runs /tmp/first
	equal "$repeated: status" "0 0" "$(echo $(cat /tmp/status1.$runs /tmp/status2.$runs))"
	check "$repeated: the same in two runs" "$(diff /tmp/first /tmp/turn2.$runs | head -n 6)" \
		cmp -s /tmp/first /tmp/turn2.$runs
}

# seconds_of LINE: prints the number of seconds that the first run printed in the last line that begins with LINE
seconds_of() {
	sed -n "s/^$1 \([0-9]*\) [0-9]*$/\1/p" /tmp/first | tail -n 1
}

attach
start guest-clock
within 10 probe_ready clock || fail "the executive serves guests" "$(since_mark | tail -3)"

# Without Limpet the same program prints other times in each run, and the C library has the vDSO.
for program in times times-musl; do
	./$program awake >/tmp/first
	./$program awake >/tmp/second
	check "$program without Limpet: another time in each run" "$(head -n 2 /tmp/first)" \
		sh -c '! cmp -s /tmp/first /tmp/second'
	equal "$program without Limpet: the C library has the vDSO" "vDSO: yes" "$(head -n 1 /tmp/first)"
done

# all_repeat: runs each program that must print the same in both turns
all_repeat() {
	runs=0
	for list in all $calls; do
		for program in times times-musl; do
			repeats "$program, --calls $list" ./$program || continue
			equal "$program: the vDSO is hidden" "vDSO: no" "$(head -n 1 /tmp/first)"
			equal "$program: lines" 101 "$(wc -l </tmp/first)"
			# The sleeps of a thread take four hours and a day. The child continues with the clock of the main thread.
			equal "$program: seconds in the main thread" $((1 + 4 * 3600 + 86400)) "$(seconds_of 'program: monotonic')"
			equal "$program: seconds in the child" $((1 + 8 * 3600 + 2 * 86400)) "$(seconds_of 'child: monotonic')"
		done
	done
	list=all
	# Each is a program of its own, or a shell with children.
	! repeats "busybox date" busybox date ||
		equal "busybox date: the start of the clock" "Sun Sep  9 01:46:40 UTC 2001" "$(cat /tmp/first)"
	repeats "busybox sh" busybox sh -c 'date +%s; sleep 1000; date; usleep 5; (sleep 20; busybox date -u +%s); busybox date'
	# The processor times that `time` also prints are Linux's.
	repeats "busybox time" busybox sh -c 'busybox time -p busybox sleep 7 2>&1 | grep real'
	! repeats "Debian's date, with the dynamic linker" /usr/bin/date +%s.%N ||
		check "Debian's date: the start of the clock" "$(cat /tmp/first)" grep -q '^1000000000\.0000[0-9]*$' /tmp/first
	repeats "bash" /usr/bin/bash -c 'echo $EPOCHREALTIME; /usr/bin/date +%N; echo $EPOCHREALTIME $SECONDS'
}

# Linux's clock advances by more than a second between the two runs of each program.
turn=1
all_repeat
usleep 1100000
turn=2
all_repeat
as_guest ./times >/tmp/first
as_guest sh -c 'exec ./times' >/tmp/second
check "a program that the guest executes finds no vDSO" "$(head -n 1 /tmp/second)" grep -q '^vDSO: no$' /tmp/second

# Files have Linux's time.
rm -f /tmp/made
as_guest touch /tmp/made
check "time stamps of files are Linux's" "$(date +%s)" \
	sh -c '[ $(($(date +%s) - $(stat -c %Y /tmp/made))) -le 60 ] && [ $(date +%s) -gt 1000010000 ]'
within 10 guests 0
check "no guest is left" "$(limpet guest ps)" guests 0
holds "the system stops" limpet stop

start "$PWD/rates.limpet"
for name in fast slow; do
	within 10 probe_ready $name || fail "$name serves guests" "$(since_mark | tail -3)"
done
length=$(rounds 400 1000)
judged "ten times faster" limpet guest run --executive fast -- ./rates 10000 1000000000 $length
judged "ten times faster, --calls" limpet guest run --executive fast --calls $calls -- ./rates 10000 1000000000 $length
judged "ten times slower" limpet guest run --executive slow -- ./rates 100 2000000000 $length
within 10 guests 0
check "no guest is left" "$(limpet guest ps)" guests 0
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
