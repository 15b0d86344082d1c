#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

image=$(rounds vectors vectors-long)
above=$(rounds 8000 13000) below=$(rounds 1000 1600)

both_ended() {
	[ "$(since_mark | grep -cE '^(above|below): end')" -eq 2 ]
}
dispatches() {
	limpet ps | awk -v name="$1" '/THREAD OF/ { threads = 1 } threads && $3 == name { print $8 }'
}

attach
./process 1 >/tmp/process-1 &
first=$!
./process 2 >/tmp/process-2 &
second=$!
mark
limpet run --foreground "$PWD/$image.limpet" >/tmp/run 2>&1 &
host=$!
within 20 [ -e $log ]
within $(rounds 120 600) both_ended
for name in above below; do
	eval count=\$$name
	equal "$name: nothing was lost or seen" "$name: computing $((count / 2)), blocking $((count / 2)), wrong 0" \
		"$(since_mark | grep "^$name: " | head -n 1)"
done
# Half of the checks block, and so dispatch. All other dispatches follow a preemption.
preempted() {
	preempted=$(($(dispatches "$1") - $2 / 2))
	check "$1 was preempted" "$preempted times" [ $preempted -gt $(($2 / 5)) ]
	sum=$((sum + preempted))
}
sum=0
preempted above $above
preempted below $below
equal "no component faulted" 0 "$(stat_of "faults of components")"

kill -TERM $first $second
check "the first process keeps its registers" "$(cat /tmp/process-1)" wait $first
check "the second process keeps its registers" "$(cat /tmp/process-2)" wait $second
checks=$(cat /tmp/process-[12] | awk '{ n += $1 } END { print n }')
check "they had the processor meanwhile" "$checks checks" [ "$checks" -gt 200 ]
holds "stop" limpet stop
# Its host thread continues in C, with a C library that needs the FS base.
check "the host process ends well" "$(tail -n 3 /tmp/run)" wait $host
holds "detach" limpet detach
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"vector\", \"component-checks\": $((above + below)), \"process-checks\": $checks, \"preemptions\": $sum}"
finish
