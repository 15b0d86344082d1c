#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# started COMMAND...: runs a guest in the background as process $guest, and waits until it is listed
started() {
	limpet guest run "$@" &
	guest=$!
	within 10 listed || fail "the guest begins" "$(limpet guest ps)"
}
listed() {
	limpet guest ps | grep -q "^ *$guest "
}

# ends_with NAME STATUS OPTION...: checks the exit status of the guest after `limpet guest kill` with the options
ends_with() {
	ends_name=$1
	ends_status=$2
	shift 2
	holds "$ends_name" limpet guest kill "$guest" "$@"
	wait $guest
	equal "$ends_name: status" "$ends_status" $?
	within 10 guests 0
	check "$ends_name: no guest is left" "$(limpet guest ps)" guests 0
}

# refuses NAME TEXT PID: checks that the process is refused with a line that has the text
refuses() {
	limpet guest kill "$3" 2>/tmp/refusal
	equal "$1: refused" 1 $?
	check "$1: the reason" "$(cat /tmp/refusal)" grep -q "$2" /tmp/refusal
}

start_probe guest-probe
started sleep 1000
ends_with "without an option" 137
for signal in TERM SIGHUP 10; do
	started sleep 1000
	case $signal in
	TERM) status=143 ;;
	SIGHUP) status=129 ;;
	10) status=138 ;;
	esac
	ends_with "--signal $signal" $status --signal $signal
done

started sh -c 'trap "exit 7" USR1; while :; do :; done'
sleep 1
ends_with "a handler of the guest" 7 --signal USR1
started sh -c 'sleep 1000 & echo $! >/tmp/child; wait'
within 10 [ -s /tmp/child ]
child=$(cat /tmp/child)
holds "a child of a guest" limpet guest kill "$child"
wait $guest
within 10 guests 0
check "the child and its parent have ended" "$(ps)" guests 0

# The program makes a call in which its executive waits.
started ./waiter
within 10 sh -c 'limpet guest ps | grep -q " waits "' || fail "the guest waits" "$(limpet guest ps)"
ends_with "a guest that waits in its executive" 137

sleep 1000 &
other=$!
refuses "a process that is not a guest" "Process $other is not a guest" $other
check "it still runs" "$(ps)" kill -0 $other
kill $other
wait $other 2>/dev/null
refuses "a process that has ended" "Process $other does not exist" $other
started ./threads
within 10 guests 2 || fail "the second thread is a guest" "$(limpet guest ps)"
thread=$(limpet guest ps | awk -v pid=$guest '$1 == pid && $2 != pid { print $2 }')
refuses "a thread" "Process $thread is a thread" "$thread"
check "its process still runs" "$(limpet guest ps)" guests 2
limpet guest kill $guest --signal NONE 2>/dev/null
equal "an unknown signal" 2 $?
ends_with "a process with two threads" 137
end_probe
finish
