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
holds "stop" limpet stop

start "$PWD/root.limpet"
must within 30 logged 1 '^saboteur: now'
system_ended() {
	! limpet ps >/tmp/ps 2>&1 || grep -q 'scheduler died' /tmp/ps
}
check "without its root scheduler the system ends" "$(cat /tmp/ps)" within 30 system_ended
check "one line says so" "$(cat /tmp/ps $log | tail -n 4)" grep -q 'scheduler died' /tmp/ps $log
limpet stop 2>/dev/null
holds "detach" limpet detach
finish
