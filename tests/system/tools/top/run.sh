#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# number WORDS: prints the number that follows the words in the JSON, without its fraction
number() {
	sed -n "s/.*$1\([0-9]*\).*/\1/p" /tmp/json
}

# between NAME LOW HIGH NUMBER
between() {
	check "$1" "$4, not from $2 to $3" [ "$4" -ge "$2" -a "$4" -le "$3" ]
}

for command in top hist; do
	refused "$command before anything has run" 'not attached|No system has run' limpet $command
done
attach
refused "top without a system" 'No system runs' limpet top
start control
must within 20 logged 2 '"histogram"'

# A 1 kHz loop causes 1000 switches, events and invocations a second.
holds "top as text" limpet top --batch 2 --interval 500
equal "two reports" 2 "$(echo "$said" | grep -c '^control: running')"
limpet top --json --interval 1000 >/tmp/json
between "events" 950 1050 "$(number '"cpus": \[{[^}]*"events": ')"
between "timers" 950 1050 "$(number '"cpus": \[{[^}]*"timers": ')"
between "invocations of the scheduler" 950 1050 "$(number '"name": "sched", "invocations": ')"
between "switches to the loop" 950 1050 "$(number '"home": "control"[^}]*"dispatches": ')"
between "its part of the CPU" 0 50 "$(number '"home": "control"[^}]*"percent": ')"
equal "its misses" 1 "$(grep -cE '"home": "control"[^}]*"misses": [0-9]+' /tmp/json)"
equal "restarts" 0 "$(number '"name": "control"[^}]*"restarts": ')"
for key in cpu invocations misses dispatches restarts name; do
	check "sorted by $key" "" sh -c "limpet top --batch 1 --interval 1 --sort $key | head -n 1 | grep -q 'by $key'"
done

# Shows a screen until the key q is pressed.
(sleep 2; printf m; sleep 2; printf q) | TERM=linux script -qec 'limpet top --interval 300' /tmp/screen >/dev/null
equal "the screen ends well" 0 $?
for words in 'by cpu' 'THREAD OF' 'COMPONENT' 'control'; do
	check "the screen has '$words'" "$(head -c 300 /tmp/screen)" grep -q "$words" /tmp/screen
done
(sleep 2; must limpet stop) | TERM=linux script -qec 'limpet top --interval 300' /tmp/screen >/dev/null
check "it ends with the system" "$(tail -n 2 /tmp/screen)" grep -q 'The system has ended' /tmp/screen

holds "hist" limpet hist --svg /tmp/picture.svg
check "the loop is in it" "$said" sh -c "echo '$said' | grep -qE '^timer limpet: [0-9]+ values in [0-9]+ reports; median'"
equal "the picture is whole" '</svg>' "$(tail -n 1 /tmp/picture.svg)"
holds "it was stopped already" limpet stop
equal "it was stopped already: it says so" "No system runs." "$said"
holds "detach" limpet detach
finish
