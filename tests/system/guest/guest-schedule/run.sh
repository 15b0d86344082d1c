#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Rules of systems/schedule-files: control has 3 of 10 ms, camera 8 of 33 ms, work 3 parts, backup and others 1.
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/tasks.sh

calls=nanosleep,clock_nanosleep,rt_sigreturn,sched_yield,execve,execveat

# task NAME ARGUMENT...: runs a guest, with its output in /tmp/out.NAME. All start at the second `$at`
task() {
	name=$1 mode=$2
	shift 2
	limpet guest run --executive schedule --calls $calls -- "/tmp/$name" "$mode" "$at" "$@" >"/tmp/out.$name" &
	tasks="$tasks $!"
}

attach
start guest-schedule
within 10 probe_ready schedule || fail "the executive serves guests" "$(since_mark | tail -3)"

for name in control camera work backup; do
	cp ./task /tmp/$name
done

begin "shares"
task work burn 1000
task backup burn 1000
done_all
between "3 of 4 parts, ms" "$(out work)" 735 765
between "1 of 4 parts, ms" "$(out backup)" 235 265

begin "reservations"
task control periodic 10000 2500 100
task camera periodic 33000 7000 30
task work burn 1000
task backup burn 1000
done_all
between "3 of 10 ms: periods that end too late" "$(out control)" 0 0
between "8 of 33 ms: periods that end too late" "$(out camera)" 0 0
between "the rest for the shares, 3 parts, ms" "$(out work)" 370 420
between "the rest for the shares, 1 part, ms" "$(out backup)" 120 145

begin "a budget"
task control burn 1000
task work burn 1000
done_all
# On two processors virtual time also passes while the other one runs, so the end of a budget comes later.
between "a reservation is not exceeded, ms" "$(out control)" 285 $((LIMPET_CPUS == 1 ? 303 : 309))
between "what it does not get is there for others, ms" "$(out work)" 680 720

begin "a budget without others"
task control burn 1000
done_all
between "a reservation is not exceeded on an idle CPU, ms" "$(out control)" 285 303

begin "pipes"
task work talk 1000
task backup burn 1000
done_all
between "two processes that wait for each other, beside one that computes, ms" "$(out work)" 1 700

begin "yield"
task work yield 200
task backup burn 200
done_all
between "calls of a task that yields, and so gives its time to another one" "$(out work)" 150 1000
between "the other one, which computes, ms" "$(out backup)" 180 205

begin "children"
task work forks 1000
task backup burn 1000
done_all
between "children have their parent's share, ms" "$(out work)" 920 955
between "each of six processes counts, ms" "$(out backup)" 50 75

# The option --slice.
slice() {
	limpet guest run --executive schedule --calls none --slice 250 -- "$@"
}
case $LIMPET_KERNEL in
6.12* | 7* | newest*)
	equal "--slice: time slices of a child and its parent in µs" "250 250 " "$(slice ./task slice 0 0)"
	refused "--slice for another policy" 'Only the policies SCHED_OTHER and SCHED_BATCH have time slices' \
		./task fifo 0 limpet guest run --executive schedule --slice 250 true
	;;
*) refused "--slice before Linux 6.12" 'its own time slice since Linux 6.12' slice true ;;
esac
check "no guest is left by it" "$(limpet guest ps)" guests 0

# Tests signals to guests that wait for their turn, and the end of these guests.
counted && ms=3000 || ms=60000
begin "signals"
task work burn $ms
task backup burn $ms
usleep 3000000
for signal in STOP CONT KILL; do
	kill -$signal $(pidof backup)
	usleep 300000
done
within 3 guests 1 || fail "a guest without its turn can be killed" "$(limpet guest ps)"
wait
between "the other one continues" "$(out work)" 2000 3000
check "no guest is left" "$(limpet guest ps)" guests 0
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
