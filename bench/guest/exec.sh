#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite exec: system calls, page faults, switches, sleeps and packet streams of ordinary Linux programs, and Linux's own
# mechanisms for seeing and answering them.
. /limpet/bench/common.sh

naps=1000
seconds=4	# of each measurement of the streams

# busy_start, busy_stop: two processes that only compute
busy_start() {
	taskset 1 sh -c 'while :; do :; done' &
	busy=$!
	taskset 1 sh -c 'while :; do :; done' &
	busy="$busy $!"
}
busy_stop() {
	kill $busy
	wait $busy 2>/dev/null
}

# streams SUBJECT NICE...: four tasks with the given nice values, and the sender
streams() {
	subject=$1
	shift
	begin=$(($(cut -d . -f 1 /proc/uptime) + 3))
	tasks= stream=0
	for promise in 35000 20000 10000 none; do
		/debian/bin/nice -n "$1" packet_task $stream $promise "$subject" $begin $seconds >/tmp/stream-$stream &
		tasks="$tasks $!"
		stream=$((stream + 1))
		shift
	done
	must packet_send $((begin + seconds + 1))
	for task in $tasks; do
		must wait $task
	done
	cat /tmp/stream-* | send
}

say "a null system call"
measure system_calls null linux
for subject in sud seccomp-trap seccomp-notify ptrace; do
	say "a system call answered by $subject"
	measure system_calls served $subject
done
for subject in seccomp-notify ptrace; do
	say "a system call passed on by $subject"
	measure system_calls passed $subject
done
for subject in linux linux-insert userfaultfd userfaultfd-continue sigsegv; do
	say "a page fault: $subject"
	measure page_faults fault $subject
done
say "page faults, sixteen pages at once: userfaultfd"
measure page_faults fault-batch userfaultfd
say "a switch between two processes"
measure hand_over switch linux
say "a job: fork, exec, compile"
measure span build linux 3 /limpet/bench/build.sh

for load in "" -loaded; do
	[ -z "$load" ] || busy_start
	say "nanosleep, a timer signal${load:+, two busy processes}"
	measure nap sleep$load linux $naps
	measure nap sleep-slack$load linux $naps 1
	measure timer_signal event$load linux-signal $naps
	[ -z "$load" ] || busy_stop
done

say "four packet streams, the same priority"
streams linux-same 0 0 0 0
say "four packet streams, different priorities"
streams linux-priority -15 -10 -5 0
