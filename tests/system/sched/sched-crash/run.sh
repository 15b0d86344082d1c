#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

figures_of_control() {
	grep -c '^control: .*"figure"' $log
}

attach
start "$PWD/part.limpet"
must within 30 logged 1 '^saboteur: now'
mark
must within 60 logged 2 '^control: .*"figure"' # the log is then complete up to the crash
said=$(grep -c '^mate: jobs' $log)
mark
check "others continue" "$(tail -n 3 $log)" within 60 logged 2 '^control: .*"figure"'
equal "nothing of the part runs any more" "$said 0" "$(grep -c '^mate: jobs' $log) $(since_mark | grep -c '^saboteur')"
check "its scheduler is dead" "$(limpet ps | grep frail)" sh -c "limpet ps | grep ' frail ' | grep -q dead"
equal "one fault" 1 "$(stat_of "faults of components")"
fault=' frail: write of unmapped address 0x0 at 0x[0-9a-f]* in [a-z_]*+0x[0-9a-f]*, thread [0-9]* of [a-z]* on CPU 0: '
log_says() {
	limpet log >/tmp/log && grep -q "$1" /tmp/log
}
check "the log says when, what, where and in which thread" "$(tail -n 6 /tmp/log)" \
	within 10 log_says "^20[-0-9]* [0-9:.]* part limpet: \[error\]$fault"
equal "one line for one fault" 1 "$(grep -c "$fault" /tmp/log)"
limpet log --symbols symbols >/tmp/log
check "the log has the source line" "$(tail -n 6 /tmp/log)" grep -q "$fault.*  [^ ]*/sched\.frail[^ ]*/policy\.h:[1-9]" /tmp/log
limpet log --json --symbols symbols >/tmp/log
check "json: the source line" "$(tail -n 6 /tmp/log)" grep -q '"severity": "error", .*"source": "[^"]*/policy\.h:[1-9]' /tmp/log
equal "people get no lines for programs, and no ticks" 0 "$(limpet log | grep -cE '[{]|ticks')"
holds "stop" limpet stop

start "$PWD/root.limpet"
must within 30 logged 1 '^saboteur: now'
system_ended() {
	! limpet ps >/tmp/ps 2>&1 || grep -q 'scheduler died' /tmp/ps
}
check "without its root scheduler the system ends" "$(cat /tmp/ps)" within 30 system_ended
check "one line says so" "$(cat /tmp/ps $log | tail -n 4)" grep -q 'scheduler died' /tmp/ps $log
# In beneath mode the layer has no counters of a system that has ended.
[ "$LIMPET_MODE" = beneath ] || check "the fault that ended the system is in the log" "$(limpet log | tail -n 4)" log_says \
	' root limpet: \[error\] sched: write of unmapped address 0x0 at 0x[0-9a-f]* in [a-z_]*+0x'
limpet stop 2>/dev/null
holds "detach" limpet detach
finish
