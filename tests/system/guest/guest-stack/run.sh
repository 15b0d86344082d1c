#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# chain NAME COMMAND...: runs a program as a guest of all three executives
chain() {
	chain_name=$1
	shift
	judged "$chain_name" limpet guest run --executive outer -- "$@"
}

outer_own=482,483,484,485,486,487,488,489,490,491,492,493
count=$(rounds 60 1000)
start_probe "$PWD/stack.limpet"
within 10 probe_ready outer || fail "the first executive serves guests" "$(limpet guest run --executive outer true 2>&1)"

limpet guest run sleep 1000 &
sleeper=$!
within 10 guests 1
check "a guest begins at the first executive, and ps shows all" "$(limpet guest ps)" \
	sh -c 'limpet guest ps | grep -q " outer>probe>inner "'
check "the same as JSON" "$(limpet guest ps --json)" \
	sh -c 'limpet guest ps --json | tr -d " \n" | grep -q "\"chain\":\[\"outer\",\"probe\",\"inner\"\]"'
kill $sleeper
wait $sleeper 2>/dev/null

chain "registers" ./registers guest "$count"
chain "waits" ./waits "$(rounds 200 5000)"
chain "three executives" ./chain 0 "$(rounds 60 1000)"
judged "two of them" limpet guest run --executive probe -- ./chain 1 "$(rounds 60 1000)"
chain "signals" ./signals 0 "$(rounds 10 200)"
judged "signals, two of them" limpet guest run --executive probe -- ./signals 1 "$(rounds 5 100)"
judged "a filter for the first one" limpet guest run --executive outer --calls $outer_own -- ./filter
chain "tracers, passed" ./steps 1
chain "tracers, results" ./steps 2
chain "stops, an executive that waits" ./stops 5
# This test is the last one, because a handler thread that never answers takes processor time from this system's guests.
chain "signals, executives that do not answer" ./signals again
end_probe
start_probe "$PWD/stack.limpet"
for part in trace freeze; do
	chain "stops, an executive that never answers" ./stops 9 $part
done
end_probe

start_probe "$PWD/crash.limpet"
within 10 probe_ready outer
chain "crashes" ./crash "$(rounds 9 90)"
judged "crashes, open" limpet guest run --executive outer --open -- ./crash "$(rounds 6 60)" open
within 10 guests 0
check "no guest is left" "$(limpet guest ps)" guests 0
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
