#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

right() {
	if since_mark | grep -qx "driver: right: $1"; then
		pass "$1"
	else
		fail "$1" "$(since_mark | tail -5)"
	fi
}

# ended: succeeds if no system runs any more
ended() {
	! limpet ps >/dev/null 2>&1
}

attach
refused "crash: no system" "No system runs" limpet crash
start "$(pwd)/policies.limpet"
within 60 logged 1 'driver: done' || fail "all is tried" "$(since_mark | tail -3)"
for what in "from its checkpoint" "from its image" "by way of the memory manager" "stays stopped" \
	"crashes in its initialisation: stays stopped" "two restarts, no more" \
	"its thread begins again after its back-off, doubled" "loops, and is found by its heartbeat" \
	"the supervisor has crashed: calls are served again"; do
	right "$what"
done
limpet crash >/tmp/text
limpet crash --json >/tmp/json
for what in "kept, .* read of unmapped address 0x[0-9a-f]*, thread" "in  *0x[0-9a-f]*  fragile_serve_crash+0x" \
	"called from  *0x[0-9a-f]*  __limpet_export_fragile_crash+0x" "invoked by driver  0x[0-9a-f]*  " \
	"serves again, from its checkpoint, after .*: restart 1, its threads 0 ms later" \
	"serves again, from its image" "stays stopped: too many restarts" \
	"stays stopped: its restart failed with error 10" "late, .*: no heartbeat"; do
	if grep -q "$what" /tmp/text; then pass "crash: $what"; else fail "crash: $what" "$(cat /tmp/text)"; fi
done
for what in '"component": "few"' '"fault": "read of unmapped"' '"outcome": "limit"' '"symbol": "fragile_serve_crash"' \
	'"outcome": "failed", "error": 10' '"fault": "no heartbeat"'; do
	if grep -q "$what" /tmp/json; then pass "json: $what"; else fail "json: $what" "$(cat /tmp/json)"; fi
done
limpet crash --symbols symbols >/tmp/symbols
limpet crash --symbols symbols --json >/tmp/symbols.json
check "crash: the source line of the fault" "$(cat /tmp/symbols)" \
	grep -q 'fragile_serve_crash+0x.*/fragile\.c:[1-9]' /tmp/symbols
check "json: the source line of the fault" "$(cat /tmp/symbols.json)" \
	grep -q '"symbol": "fragile_serve_crash", .*"source": "[^"]*/fragile\.c:[1-9]' /tmp/symbols.json
equal "crash: the lines are the only difference" "$(cat /tmp/text)" "$(sed 's/  [^ ]*:[0-9]*$//' /tmp/symbols)"
refused "crash: no folder of symbols" 'none: No such file' limpet crash --symbols none
limpet ps >/tmp/ps
check "ps: a component without a thread is stopped" "$(cat /tmp/ps)" \
	grep -q ' initial  *restart-init .*  stopped: it cannot be invoked$' /tmp/ps
check "ps: a component is stopped, and its thread is dead" "$(cat /tmp/ps)" \
	grep -q ' stopped  *fragile .*  failed: its thread is dead$' /tmp/ps
equal "ps: no other component is stopped" "initial" "$(awk '/ stopped: / { print $3 }' /tmp/ps)"
check "ps --json" "$(limpet ps --json)" [ "$(limpet ps --json | grep -o '"stopped": true' | wc -l)" -ge 2 ]
limpet crash --lost >/dev/null 2>&1
if [ $? = 2 ]; then pass "crash: wrong usage"; else fail "crash: wrong usage" "status $?"; fi
sleep 60 </dev/limpet/crash.0 &
sleeper=$!
within 20 grep -q sleep /proc/$sleeper/comm # the process opens the records before it becomes sleep
holds "crash: another process has the records open" limpet crash
kill $sleeper
wait $sleeper
# The packets ?, g and D of gdb: the reason of a stop, the registers, detach.
for round in once again; do
	printf '$?#3f$g#67$D#44' | limpet debug --stdio kept >/tmp/remote
	check "debug: a component stops and continues, $round" "$(cat /tmp/remote)" grep -qE \
		'^\+\$T02thread:[0-9a-f]+;#[0-9a-f]{2}\+\$[0-9a-f]{328}#[0-9a-f]{2}\+\$OK#9a$' /tmp/remote
done
refused "debug: a component that stays stopped" "'stopped' cannot be debugged. It is stopped" limpet debug --stdio stopped
refused "debug: a component without a supervisor" "'driver' has no supervisor" limpet debug driver
holds "stops" limpet stop

start "$(pwd)/halt.limpet"
if within 10 ended && logged 1 'last: read of unmapped address 0x.*: the system ends$'; then
	pass "policy halt"
else
	fail "policy halt" "$(limpet ps; since_mark | tail -4)"
fi
limpet stop >/dev/null 2>&1

start "$(pwd)/scheduler.limpet"
if within 10 ended; then pass "a scheduler crashes"; else fail "a scheduler crashes" "$(limpet ps)"; fi
refused "crash: no supervisor" "no supervisor|No system" limpet crash
if grep -q 'wrong:' $log; then fail "nothing was wrong" "$(grep 'wrong:' $log)"; fi
limpet stop >/dev/null 2>&1
holds "detaches" limpet detach
finish
