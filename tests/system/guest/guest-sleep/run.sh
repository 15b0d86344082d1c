#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

calls=nanosleep,clock_nanosleep,rt_sigreturn

# The words before the command of a guest whose sleeps the executive serves.
as_guest="limpet guest run --executive sleep --calls $calls --"

# waiting COUNT: succeeds if this number of guests waits in the executive
waiting() {
	[ "$(limpet guest ps | grep -c ' waits ')" -eq "$1" ]
}

# exact NAME COMMAND...: runs the program exact, checks that no sleep is too short, and sets `delay` to the median
exact() {
	exact_name=$1
	shift
	said=$("$@")
	delay=${said#* }
	equal "$exact_name: sleeps that are too short" 0 "${said% *}"
}

# Returns whether virtual time counts instructions. On the debug kernel it does not, so no time has a limit there.
counted() {
	case $LIMPET_KERNEL in *-debug) false ;; esac
}

attach
start guest-sleep
within 10 probe_ready sleep || fail "the executive serves guests" "$(since_mark | tail -3)"

judged "without Limpet" ./sleeps
judged "a guest" $as_guest ./sleeps
judged "a guest, all calls" limpet guest run --executive sleep -- ./sleeps
judged "a guest without rt_sigreturn" limpet guest run --executive sleep --calls nanosleep,clock_nanosleep -- ./unseen

# The executive serves the sleeps of guests. Linux's own ones are late by the slack of the thread's timers.
exact "Linux's sleep with 20 ms slack" ./exact 20000 0
! counted || check "Linux's sleep with 20 ms slack is late" "$delay µs" [ "$delay" -ge 500 ]
exact "a guest's sleep with 20 ms slack" $as_guest ./exact 20000 0
! counted || check "a guest's sleep ends on time" "$delay µs" [ "$delay" -le 100 ]

# With a process that computes. On Linux 6.12 and later a guest needs a short time slice to preempt it.
sh -c 'while :; do :; done' &
busy=$!
taskset -p 1 $busy >/dev/null
case $LIMPET_KERNEL in
6.12* | 7* | newest*) slice="--slice 100" ;;
*) slice= ;;
esac
exact "beside a busy process" limpet guest run --executive sleep --calls $calls $slice -- ./exact 20000 0
! counted || check "beside a busy process a guest's sleep ends on time" "$delay µs" [ "$delay" -le 200 ]
kill $busy
wait $busy 2>/dev/null

# A guest that sleeps is shown, killed, released and attached.
$as_guest sleep 1000 &
sleeper=$!
check "a guest that sleeps waits in the executive" "$(limpet guest ps)" within 10 waiting 1
holds "a guest that sleeps is killed" limpet guest kill $sleeper
wait $sleeper
equal "it got SIGKILL" 137 $?
$as_guest sleep 2 &
sleeper=$!
within 10 waiting 1 || fail "a guest sleeps" "$(limpet guest ps)"
holds "a guest that sleeps is released" limpet guest release $sleeper
check "no guest is left" "$(limpet guest ps)" within 10 guests 0
wait $sleeper
equal "the released program ends well" 0 $?
sleep 2 &
sleeper=$!
holds "a program that sleeps is attached" limpet guest attach $sleeper
wait $sleeper
equal "the attached program ends well" 0 $?
within 10 guests 0
holds "the system stops" limpet stop

# With two handler threads further sleeping guests wait for one. They can be killed, and no sleep is too short.
start "$PWD/few.limpet"
within 10 probe_ready sleep || fail "few threads: the executive serves guests" "$(since_mark | tail -3)"
for number in 1 2 3 4 5 6; do
	$as_guest ./exact 0 0 >/tmp/exact.$number &
	sleepers="$sleepers $!"
done
for sleeper in $sleepers; do
	wait $sleeper || fail "few threads: a guest ends well" "status $?"
done
equal "few threads: sleeps that are too short" "0 0 0 0 0 0" "$(echo $(cut -d ' ' -f 1 /tmp/exact.?))"
sleepers=
for number in 1 2 3 4; do
	$as_guest sleep 1000 &
	sleepers="$sleepers $!"
done
check "few threads: two guests sleep" "$(limpet guest ps)" within 10 waiting 2
check "few threads: the others wait for a thread" "$(limpet guest ps)" \
	within 10 sh -c '[ "$(limpet guest ps | grep -c " queued ")" -eq 2 ]'
kill -9 $sleepers
for sleeper in $sleepers; do
	wait $sleeper
	equal "few threads: a guest got SIGKILL" 137 $?
done
check "few threads: no guest is left" "$(limpet guest ps)" within 10 guests 0
holds "few threads: the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
