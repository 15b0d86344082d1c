#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# lines WORDS: counts the lines of the trace's text with these words
lines() {
	grep -cE -- "$1" /tmp/text
}

# at_least COUNT WORDS
at_least() {
	count=$(lines "$2")
	check "$1 times $2" "$count: $(head -n 3 /tmp/text)" [ "$count" -ge "$1" ]
}

# traces NAME WORDS FOLDER OPTION...: traces into the folder, and converts the trace to text. Tries at most five times,
# until 100 lines have the words and no event was lost. A slow machine may do little in a second, or read late
traces() {
	title=$1 wanted=$2 folder=$3
	shift 3
	for try in $(seq 5); do
		rm -rf "$folder"
		holds "$title" limpet trace -o "$folder" "$@"
		babeltrace2 "$folder" >/tmp/text 2>/tmp/words
		status=$?
		[ "$(lines "$wanted")" -lt 100 -o -s /tmp/words ] || break
	done
}

# reader WORD: tests the ioctls directly. Each line of the output is a verdict
reader() {
	./reader "$1" >/tmp/said || fail "reader $1" "status $?"
	while read -r word what; do
		if [ "$word" = pass ]; then pass "$1: $what"; else fail "$1: ${what%%:*}" "$what"; fi
	done </tmp/said
}

refused "nothing is attached" 'not attached' limpet trace
attach
refused "no system runs" 'No system runs' limpet trace -o /tmp/none
check "nothing is left of that" "$(ls /tmp/none 2>&1)" [ ! -e /tmp/none ]
reader nothing

# The trace of a 1 kHz loop has each event once, and is read without a warning.
start control
traces "trace" 'dispatch: .*"control #' /tmp/ctf --seconds "$(rounds 1 2)"
check "nothing was lost" "$said" sh -c "echo '$said' | grep -qE '^[0-9]+ events in /tmp/ctf$'"
equal "babeltrace2 reads it" 0 $status
equal "without a warning" "" "$(head -n 2 /tmp/words)"
at_least 1 'start: .*depth = 0|start: .*depth = 1'
at_least 100 'dispatch: .*"control #'
at_least 100 'invoke: .*"control #.*component = \( "sched"'
at_least 100 'timer: '
at_least 100 'pause: '
at_least 100 'resume: '
at_least 100 'event: .*bit = 6'
equal "no kernel calls" 0 "$(lines 'call: ')"
traces "kernel calls alone" 'call: .*"CALL_THREAD_DISPATCH"' /tmp/calls --seconds 1 --events call
at_least 100 'call: .*"CALL_THREAD_DISPATCH"'
equal "nothing else" 0 "$(lines ' (invoke|dispatch|timer|pause): ')"

refused "a folder that is there" 'exists already' limpet trace -o /tmp/ctf
limpet trace --seconds 0 -o /tmp/first &
first=$!
within 20 [ -e /tmp/first/cpu0 ]
refused "two at once" 'Another .limpet trace.' limpet trace -o /tmp/second
kill -INT $first
wait $first
equal "interrupted, it ends well" 0 $?
limpet trace --seconds 0 -o /tmp/killed &
killed=$!
within 20 [ -e /tmp/killed/cpu0 ]
kill -9 $killed
wait $killed 2>/dev/null
slices() {
	grep -c '"ph": "B", "name": "control #' /tmp/json/trace.json
}
for try in $(seq 5); do
	rm -rf /tmp/json
	holds "after one was killed, the next" limpet trace --seconds 1 --format json -o /tmp/json
	[ "$(slices)" -lt 100 ] || break
done
equal "slices begin and end" "$(grep -c '"ph": "B"' /tmp/json/trace.json)" \
	"$(grep -c '"ph": "E"' /tmp/json/trace.json)"
check "the loop's are there" "$(head -n 20 /tmp/json/trace.json)" \
	[ "$(slices)" -ge 100 ]
reader control
continues "the loop continues"
must limpet stop

# Trace a busy system while the reader is stopped, so that the rings overflow.
start busy --linux-share 300
limpet trace --seconds 0 -o /tmp/busy 2>/tmp/words &
slow=$!
within 20 [ -e /tmp/busy/cpu0 ]
kill -STOP $slow
sleep 2
kill -CONT $slow
sleep 0.2
kill -INT $slow
wait $slow
equal "a busy system is traced" 0 $?
check "and what was lost is counted" "$(cat /tmp/words)" grep -qE 'trace: [0-9]+ events were overwritten' /tmp/words
reader busy
continues "the busy system continues"
must limpet stop
babeltrace2 /tmp/busy >/tmp/text 2>/tmp/words
equal "babeltrace2 reads what there is" 0 $?
check "and reports how much is missing" "$(head -n 3 /tmp/words)" grep -qi 'discarded' /tmp/words
at_least 1000 'invoke: '
holds "detach" limpet detach
finish
