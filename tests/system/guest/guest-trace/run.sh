#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# lines WORDS: counts the lines of the trace's text with these words
lines() {
	grep -cE -- "$1" /tmp/text
}

# traced FOLDER OPTION...: records a trace into the folder while the guest makes its calls
traced() {
	folder=$1
	shift
	rm -rf "$folder"
	limpet trace -o "$folder" --seconds 0 "$@" >/tmp/said 2>&1 &
	tracer=$!
	within 20 [ -e "$folder/cpu0" -o -e "$folder/trace.json" ] || fail "the trace begins" "$(cat /tmp/said)"
	sleep 0.2
	limpet guest run --calls getpgid,sync_file_range,rest -- ./calls 50
	equal "the guest ends" 0 $?
	kill -INT $tracer
	wait $tracer
	equal "the trace ends" 0 $?
}

attach
start guest-trace
within 10 probe_ready trace || fail "the executive serves guests" "$(since_mark | tail -3)"

traced /tmp/ctf
babeltrace2 /tmp/ctf >/tmp/text 2>/tmp/words
equal "babeltrace2 reads it" 0 $?
equal "without a warning" "" "$(head -n 2 /tmp/words)"
for call in getpgid sync_file_range other; do
	for kind in call result; do
		equal "$call: each $kind is an event" 50 "$(lines "guest-$kind: .*component = \( \"trace\".*number = \( \"$call\"")"
	done
done
equal "no other calls" 300 "$(lines 'guest-(call|result): ')"
check "each call comes before its result" "$(grep guest- /tmp/text | head -n 4)" \
	sh -c 'grep -oE "guest-(call|result)" /tmp/text | uniq -c | awk "\$1 != 1 { exit 1 }"'
check "with the events of the scheduler" "$(head -n 5 /tmp/text)" [ "$(lines '(dispatch|resume|pause): ')" -ge 10 ]
check "the executive prints the same calls" "$(since_mark | tail -n 3)" \
	within 10 sh -c '[ "$(limpet log --plain | grep -c "trace: .*getpgid(0) = ")" -ge 50 ]'

traced /tmp/json --format json --events guest-call,guest-result
equal "json: calls" 50 "$(grep -c '"name": "guest-call getpgid"' /tmp/json/trace.json)"
equal "json: results" 50 "$(grep -c '"name": "guest-result getpgid"' /tmp/json/trace.json)"
traced /tmp/results --events guest-result
babeltrace2 /tmp/results >/tmp/text 2>/tmp/words
equal "results alone" 150 "$(lines 'guest-result: ')"
equal "no calls" 0 "$(lines 'guest-call: ')"
traced /tmp/others --events dispatch
babeltrace2 /tmp/others >/tmp/text 2>/tmp/words
equal "neither, if other kinds are chosen" 0 "$(lines 'guest-')"
within 10 guests 0
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
