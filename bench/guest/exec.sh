#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite exec: system calls, page faults, switches, sleeps and packet streams of ordinary Linux programs, Linux's own
# mechanisms for seeing and answering them, and the same programs as guests of executives.
. /limpet/bench/common.sh

naps=1000
slice=100	# µs: the minimum time slice of a thread. Before Linux 6.12 it cannot be set
case $(uname -r) in 6.1.*) slice= ;; esac
seconds=4	# duration of each measurement of the streams

# busy_start, busy_stop: two processes that only compute
busy_start() {
	taskset 1 sh -c 'while :; do :; done' &
	busy=$!
	taskset 1 sh -c 'while :; do :; done' &
	busy="$busy $!"
}
busy_stop() {
	must kill $busy
	wait $busy 2>/dev/null
}

# task_start STREAM COMMAND...: the task of a stream, with a command that runs it
task_start() {
	stream=$1
	shift
	case $stream in
	0) promise=35000 ;;
	1) promise=20000 ;;
	2) promise=10000 ;;
	3) promise=none ;;
	esac
	ln -sf "$(command -v packet_task)" /tmp/stream-$stream
	"$@" /tmp/stream-$stream $stream $promise "$subject" $begin $seconds >/tmp/out-$stream &
	tasks="$tasks $!"
}
# streams_begin SUBJECT, then task_start for each task, then streams_end, which sends the streams. The sender and
# arrival take most of the CPU, on PREEMPT_RT all of it, so the tasks start before
streams_begin() {
	subject=$1 tasks=
	begin=$(($(cut -d . -f 1 /proc/uptime) + 4))
}
streams_end() {
	must packet_send $((begin - 1)) $((begin + seconds + 1))
	for task in $tasks; do
		must wait $task
	done
	cat /tmp/out-? | send
}
# streams_nice SUBJECT NICE...: four tasks with the given nice values
streams_nice() {
	streams_begin "$1"
	task_start 0 /debian/bin/nice -n "$2"
	task_start 1 /debian/bin/nice -n "$3"
	task_start 2 /debian/bin/nice -n "$4"
	task_start 3 /debian/bin/nice -n "$5"
	streams_end
}
# streams_guests SUBJECT: four guests of exec.stream
streams_guests() {
	streams_begin "$1"
	for stream in 0 1 2 3; do
		task_start $stream limpet guest run --executive stream \
			--calls read,readv,recvfrom,recvmsg,recvmmsg,execve,execveat --
	done
	streams_end
}

# peers: Linux's own mechanisms, without those that the requirements compare with
peers() {
	for subject in sud seccomp-trap seccomp-notify ptrace; do
		say "a system call answered by $subject"
		measure system_calls served $subject
	done
	for subject in seccomp-notify ptrace; do
		say "a system call passed on by $subject"
		measure system_calls passed $subject
	done
	for subject in linux userfaultfd userfaultfd-continue sigsegv; do
		say "a page fault: $subject"
		measure page_faults fault $subject
	done
	say "page faults, sixteen pages at once: userfaultfd"
	measure page_faults fault-batch userfaultfd
	say "a switch between two processes"
	measure hand_over switch linux futex ordinary
	measure hand_over switch linux-fifo futex fifo
	measure hand_over switch linux-yield yield ordinary
	measure hand_over switch linux-yield-fifo yield fifo
	say "a system call, and a switch between two processes, over the pages that the program touches"
	measure working_set call linux null
	measure working_set space linux futex
	measure working_set space linux-yield yield
	say "four packet streams, the same priority"
	streams_nice linux-same 0 0 0 0
	say "four packet streams, different priorities"
	streams_nice linux-priority -15 -10 -5 0
}

# sleeps LOAD: LOAD is empty or -loaded
sleeps() {
	say "nanosleep, a timer signal${1:+, two busy processes}"
	measure nap sleep$1 linux $naps
	measure nap sleep-slack$1 linux $naps 1
	[ -z "$1" ] || [ -z "$slice" ] || measure nap sleep-slice$1 linux $naps 1 $slice
	measure timer_signal event$1 linux-signal $naps
}

builds=3 modules=40
[ -z "$quick" ] || builds=1 modules=10
say "a null system call, a page fault"
measure system_calls null linux
measure page_faults fault linux-insert
[ -n "$quick" ] || peers
say "a job: fork, exec, compile"
measure span build linux $builds /limpet/bench/build.sh $modules

sleeps ""
if [ -z "$quick" ]; then
	busy_start
	sleeps -loaded
	busy_stop
fi

# guest EXECUTIVE CALLS COMMAND...: measure it as a guest
guest() {
	executive=$1 calls=$2
	shift 2
	measure limpet guest run --executive "$executive" --calls "$calls" -- "$@"
}

# events LOAD: a periodic event of an executive
events() {
	say "a periodic event at an executive${1:+, two busy processes}"
	system_start guest-event
	await 60 1 'probe: events measured'
	marked | sed -n 's/^[^{]*\({"\(figure\|histogram\)".*"case": "event".*}\)$/\1/p' |
		sed "s/\"case\": \"event\"/\"case\": \"event$1\"/" | send
	must limpet stop
}

say "attached: executives"
must limpet attach --module /limpet/limpet.ko >/dev/null
system_start guest-probe
say "a system call answered, passed on, passed on with its result, and left to Linux"
guest probe getppid system_calls served limpet
[ -n "$quick" ] || guest probe getppid working_set call limpet null
guest probe all guest_mode 1 system_calls passed limpet
guest probe all guest_mode 2 system_calls result limpet
guest probe none system_calls filtered limpet
limpet guest run --executive probe -- sleep 1000 &
sleeper=$!
measure system_calls other limpet
must kill $sleeper
wait $sleeper 2>/dev/null
say "a page fault: limpet"
guest probe all page_faults fault limpet
must limpet stop
system_start guest-probes
say "a system call passed on by two executives"
guest probe all guest_mode 1 system_calls passed-2 limpet
must limpet stop
system_start guest-batch
guest probe all page_faults fault-batch limpet
must limpet stop

say "the job as guests, with all calls seen, and with all calls left to Linux"
system_start guest-seen
guest count all span build-count limpet $builds /limpet/bench/build.sh $modules
guest count none span build-filtered limpet $builds /limpet/bench/build.sh $modules
must limpet stop

system_start guest-schedule
say "a switch between two guests by their scheduler"
turns=nanosleep,clock_nanosleep,rt_sigreturn,sched_yield,execve,execveat
guest schedule $turns hand_over switch limpet yield fifo
guest schedule $turns hand_over switch limpet-ordinary yield ordinary
must limpet stop

if [ -z "$quick" ]; then
	system_start guest-spaces
	say "a switch between two address spaces of a guest, over the pages that it touches"
	guest spaces 500 working_set space limpet spaces
	must limpet stop
	system_start guest-stream
	say "four packet streams to guests with promised rates"
	streams_guests limpet
	must limpet stop
fi

system_start guest-sleep
say "nanosleep of a guest"
guest sleep nanosleep,clock_nanosleep nap sleep limpet $naps
if [ -z "$quick" ]; then
	busy_start
	say "nanosleep of a guest, two busy processes"
	guest sleep nanosleep,clock_nanosleep nap sleep-loaded limpet $naps
	[ -z "$slice" ] || measure limpet guest run --executive sleep --calls nanosleep,clock_nanosleep \
		--slice $slice -- nap sleep-slice-loaded limpet $naps
	busy_stop
fi
must limpet stop

events ""
if [ -z "$quick" ]; then
	busy_start
	events -loaded
	busy_stop
fi
must limpet detach >/dev/null
