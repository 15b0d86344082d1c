#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# crowd [OPTION...]: starts guests in all states as process group $crowd, and waits until all have started
crowd() {
	rm -f /tmp/crowd
	setsid limpet guest run --executive probe "$@" -- ./crowd /tmp/crowd &
	crowd=$!
	within 20 [ -e /tmp/crowd ] || fail "the crowd begins" "$(limpet guest ps)"
}

# crowd_ended NAME: checks that all guests of the crowd got SIGKILL
crowd_ended() {
	wait $crowd
	equal "$1: the guests got SIGKILL" 137 $?
	within 20 guests_none
	check "$1: no guest is left" "$(ps | grep '[c]rowd')" guests_none
}
guests_none() {
	! ps | grep -q '[.]/crowd /tmp'
}

# crowd_open NAME: checks that all guests continue without Limpet, and end by themselves
crowd_open() {
	sleep 0.3
	touch /tmp/crowd.stop
	wait $crowd
	equal "$1: guests with --open went on" 0 $?
	rm -f /tmp/crowd.stop
	within 20 guests_none
	check "$1: they have ended" "$(ps | grep '[c]rowd')" guests_none
}

guests_are() {
	[ "$(ps | grep -c '[s]leep 1000')" = "$1" ]
}

ended() {
	! limpet ps >/dev/null 2>&1
}

attach
for policy in image checkpoint; do
	start "$PWD/$policy.limpet"
	within 10 probe_ready || fail "the executive serves guests" "$(since_mark | tail -3)"
	run_guest "restart = $policy" ./crash
	judged "restart = $policy, open" limpet guest run --executive probe --open ./crash open
	run_guest "restart = $policy, others" ./others "$(rounds 5 100)"
	check "restart = $policy: crashes are in the log" "$(since_mark | tail -4)" within 20 logged 5 'probe: read of unmapped address 0x10 .*restart'
	check "restart = $policy: the kernel has counted them" "$(faults) faults" [ "$(faults)" -ge 5 ]
	holds "restart = $policy: the system stops" limpet stop
done

# The executive always crashes in the same events. It gets each event twice, and then the guest is killed.
start "$PWD/frail.limpet"
within 10 probe_ready || fail "the executive serves guests" "$(since_mark | tail -3)"
dmesg -c >/dev/null
run_guest "an event that crashes the executive" ./again
equal "the executive crashes twice in each event" 18 "$(since_mark | grep -c 'probe: read of unmapped address 0x10 ')"
for event in CALL CALL RESULT SIGNAL EXCEPTION FAULT BREAK BEGIN EXEC; do echo $event; done >/tmp/events
dmesg | sed -n 's/.*limpet: killed .*: its event \([A-Z]*\) .* has crashed its executive twice/\1/p' >/tmp/killed
check "the kernel's log has a line for each event" "$(dmesg | tail -n 12)" cmp -s /tmp/events /tmp/killed
judged "the same, open" limpet guest run --executive probe --open ./again open
within 10 guests 0
holds "frail: the system stops" limpet stop

# Without a supervisor, the executive stays stopped.
start guest-probe
within 10 probe_ready
limpet guest run --executive probe ./crash gone &
waiting=$!
sleep 1.5
limpet guest run --executive probe --open ./crash gone-open
equal "no supervisor: a guest with --open continues" 42 $?
check "no supervisor: another one waits" "it does not" kill -0 $waiting
kill -9 $waiting
wait $waiting 2>/dev/null
equal "no supervisor: SIGKILL ends it" 137 $?
holds "no supervisor: the system stops" limpet stop

# Guests and their system end while the executive computes. The executive must not continue after its system calls have
# become Linux's.
for round in 1 2 3; do
	start "$PWD/slow-end.limpet"
	within 10 probe_ready
	guests=
	for guest in 1 2 3 4; do
		limpet guest run --executive probe -- sleep 1000 &
		guests="$guests $!"
	done
	within 20 guests_are 4 || fail "the guests begin" "$(limpet guest ps)"
	kill -9 $guests
	holds "the system stops while guests end, round $round" limpet stop
	for guest in $guests; do
		wait $guest
		equal "round $round: a guest got SIGKILL" 137 $?
	done
done

memory_mark
count=$(rounds 2 30)
for round in $(seq "$count"); do
	start guest-probe
	within 10 probe_ready
	crowd
	case $((round % 2)) in
	1)
		limpet stop >/dev/null || fail "stop in round $round" "$(limpet ps)"
		crowd_ended "stop"
		;;
	0)
		kill -9 "$host_pid"
		within 10 ended || fail "the system ends in round $round" "$(limpet ps)"
		crowd_ended "the host process is killed"
		;;
	esac
	start guest-probe
	within 10 probe_ready
	crowd --open
	case $((round % 2)) in
	1)
		kill -9 "$host_pid"
		within 10 ended || fail "the system ends in round $round" "$(limpet ps)"
		crowd_open "the host process is killed"
		;;
	0)
		limpet stop >/dev/null || fail "stop in round $round" "$(limpet ps)"
		crowd_open "stop"
		;;
	esac
	[ $round -gt 1 ] || memory_mark
done
memory_kept $((count * 2))
figure "{\"suite\": \"system\", \"case\": \"guest-crash\", \"rounds\": $count, $memory_drift}"
start guest-probe
within 10 probe_ready
run_guest "another system" ./others 0
end_probe
finish
