#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

count=$(part 30 400)
systems="$images/ping.limpet $images/control.limpet $images/hog.limpet"
[ "$LIMPET_CPUS" -gt 1 ] && systems="$systems $images/two-cpus.limpet"

must insmod /limpet/probe.ko
points=$(entry_points)
attach
must ./killer 12 1 $systems
memory_mark
holds "killed $count times" ./killer "$count" $((LIMPET_CPUS * 1000)) $systems
seen=$said
memory_kept "$count"
check "most were running" "of $count: $seen" [ "$(echo "$seen" | sed 's/.*running \([0-9]*\).*/\1/')" -gt $((count / 4)) ]
equal "entry points are Linux's" "$points" "$(entry_points)"

# The log, and the terminal of a waiting command, show the death of a host process.
start ping
must kill -9 "$host_pid"
holds "the log shows how the host process died" \
	within 20 logged 1 "^limpet: ping: [-0-9]+ [:0-9]+ [+0-9]+: host process $host_pid was killed by signal 9: its system ended"
limpet run --foreground $images/ping.limpet >/tmp/out 2>/tmp/error &
holds "another system runs, and its line is as limpet log -f prints it" \
	within 20 grep -q '^[-0-9]* [:.0-9]* ping limpet: ping runs$' /tmp/out
kill -9 $!
holds "the terminal also shows it" within 20 grep -q "host process $! was killed by signal 9" /tmp/error
start ping
must limpet stop
equal "the log does not report a death after limpet stop" "" "$(since_mark | grep 'host process')"

# Limpet works as before.
start ping
check "ping is right" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"kill-host\", \"rounds\": $count, \"seen\": \"$seen\", $memory_drift}"
finish
