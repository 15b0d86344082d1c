#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# storm: sends unwanted signals to the host process from several senders
storm() {
	for sender in 1 2 3; do
		(for n in $(seq "$(part 100 1000)"); do
			kill -USR1 "$host_pid"
			kill -ALRM "$host_pid"
			kill -INFO "$host_pid" 2>/dev/null || kill -WINCH "$host_pid"
		done) &
		senders="$senders $!"
	done
	wait $senders
}

# all_stopped: succeeds if all threads of the host process are stopped
all_stopped() {
	! grep -h '^State:' /proc/"$host_pid"/task/*/status | grep -qv T
}

# stand_still: checks that no component runs while the host process is stopped
stand_still() {
	kill -STOP "$host_pid"
	within 20 all_stopped || return 1
	usleep 50000
	before=$(stat_of 'kernel calls')
	usleep 300000
	after=$(stat_of 'kernel calls')
	kill -CONT "$host_pid"
	[ "$before" = "$after" ] || echo "$((after - before)) kernel calls while stopped"
	[ "$before" = "$after" ]
}

try_all() {
	continues "$1: the loop runs"
	storm
	continues "$1: continues after a storm of signals"
	holds "$1: stands still while stopped" stand_still
	continues "$1: continues after SIGCONT"
	for n in $(seq "$(part 20 200)"); do
		kill -STOP "$host_pid"
		kill -CONT "$host_pid"
	done
	holds "$1: traced" ./tracer "$host_pid" "$(part 40 400)" 7
	check "$1: steps see system calls" "$said" [ "${said:-0}" -gt 0 ]
	continues "$1: continues after the tracer"
	equal "$1: one host process all the time" 0 "$(kill -0 "$host_pid"; echo $?)"
}

attach
start loop
try_all idle
holds "stop" limpet stop
start busy --linux-share 400
try_all busy
# A stopped process can still be killed.
kill -STOP "$host_pid"
kill -KILL "$host_pid"
check "killed while stopped" "$(limpet ps | head -1)" within 10 nothing_loaded
start ping
check "ping is right" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "detach" limpet detach --stop
linux_is_well
finish
