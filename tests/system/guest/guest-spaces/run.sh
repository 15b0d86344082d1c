#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

spaces() {
	name=$1
	shift
	judged "$name" limpet guest run --executive spaces "$@"
}

# victim [inner]: starts a program that endlessly switches between 20 spaces, and sets $victim to its process
victim() {
	rm -f /tmp/victim
	limpet guest run --executive spaces -- ./victim /tmp/victim "$@" &
	victim=$!
	within 20 [ -e /tmp/victim ] || fail "the victim begins" "$(limpet guest ps)"
}
none_left() {
	within 20 guests 0
	check "$1: no space is left" "$(limpet guest ps)" guests 0
}

attach
start guest-spaces
within 10 probe_ready spaces || fail "the executive serves guests" "$(since_mark | tail -3)"
judged "not a guest" ./switches plain 0
spaces "no such call in the filter" --calls '!500' -- ./switches plain 0
spaces "switches" -- ./switches "$(rounds 300 20000)" 100
spaces "under a tracer" -- ./traced ./switches 20 5
spaces "signals" -- ./switches "$(rounds 60 1000)" 0 signals

for round in $(seq "$(rounds 2 20)"); do
	for way in "" inner; do
		victim $way
		kill -9 $victim
		wait $victim 2>/dev/null
		none_left "kill -9 of the program${way:+, $way}, $round"
		victim $way
		kill -9 "$(pidof victim | tr ' ' '\n' | sed -n "$((round % 15 + 2))p")"
		kill -9 $victim 2>/dev/null
		wait $victim 2>/dev/null
		none_left "kill -9 of a space${way:+, $way}, $round"
	done
done
spaces "hostile" -- ./hostile "$(rounds 2 20)"
none_left "hostile"

# Spaces whose creators were killed during the creation are reused last, so numbers are not in order.
holds "the system stops after hostile programs" limpet stop
start guest-spaces
within 10 probe_ready spaces
memory_mark
for round in $(seq "$(rounds 2 10)"); do
	spaces "round $round" -- ./switches 10 100
	victim
	kill -9 $victim
	wait $victim 2>/dev/null
	none_left "round $round"
done
memory_kept 20
figure "{\"suite\": \"system\", \"case\": \"guest-spaces\", $memory_drift}"

# Ends the system, and the executive, during switches.
victim
limpet stop >/dev/null || fail "stop" "$(limpet ps)"
wait $victim
equal "the system ends: the program got SIGKILL" 137 $?
check "no space is left" "$(pidof victim)" within 20 sh -c '! pidof victim'
start "$PWD/frail.limpet"
within 10 probe_ready spaces
spaces "the executive crashes" -- ./crash
holds "the system stops" limpet stop

# exec.spaces is between two executives that both want all results.
start "$PWD/chain.limpet"
within 10 probe_ready outer
outer() {
	name=$1
	shift
	judged "in a chain: $name" limpet guest run --executive outer -- "$@"
}
outer "switches" ./switches "$(rounds 60 2000)" 15
outer "signals" ./switches "$(rounds 20 500)" 0 signals
outer "under a tracer" ./traced ./switches 10 5
for way in "" inner; do
	rm -f /tmp/victim
	limpet guest run --executive outer -- ./victim /tmp/victim $way &
	victim=$!
	within 20 [ -e /tmp/victim ] || fail "in a chain: the victim begins" "$(limpet guest ps)"
	kill -9 $victim
	wait $victim 2>/dev/null
	none_left "in a chain: kill -9 of the program${way:+, $way}"
done
holds "the system with a chain stops" limpet stop

start guest-spaces
within 10 probe_ready spaces
end_probe
finish
