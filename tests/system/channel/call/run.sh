#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# calls NAME WORDS ARGUMENT...: checks that the caller succeeds and prints the words
calls() {
	held=$1 words=$2
	shift 2
	if said=$(timeout 60 ./caller "$@" 2>&1) && echo "$said" | grep -q "$words"; then
		pass "$held"
	else
		fail "$held" "status $?: $said"
	fi
}

# can_call: succeeds if the component answers
can_call() {
	timeout 10 ./caller words 1 >/dev/null 2>&1
}

# held WORDS: succeeds if the caller that holds the channel has printed the words
held() {
	grep -q "$1" /tmp/held
}

attach
start "$PWD/call.limpet"
check "its component is there" "$(since_mark)" within 10 can_call
calls "words come and go" "right: 5000 calls" words 5000
calls "what the system file does not name is refused" "refused: Linux may not call this" refused
calls "so is another interface" "refused: the component serves another interface" refused
calls "a call that waits too long reports it" "late: no answer in time" late
calls "and the late answer is discarded" "right: the next" late
calls "messages that are no requests" "right: 10 calls" garbage 2000
calls "answers that no caller takes" "left" leave 1000
calls "the next process has its own answers" "right: 200 calls" words 200
for round in 1 2 3 4 5; do
	./caller words 100000000 >/dev/null 2>&1 &
	sleep 0.1
	kill -9 $!
	wait $! 2>/dev/null
done
calls "callers that were killed in a call" "right: 200 calls" words 200

./caller hold >/tmp/held 2>&1 &
holding=$!
check "a caller holds on" "$(cat /tmp/held)" within 20 held holds
holds "the system ends under a caller" limpet stop
check "and it reports so" "$(cat /tmp/held)" within 10 held 'lost: the component crashed or was stopped'
start "$PWD/call.limpet"
check "and calls the next one" "$(cat /tmp/held)" within 20 held back
wait $holding
equal "and ends" 0 $?
holds "stops" limpet stop
holds "detaches" limpet detach
linux_is_well
finish
