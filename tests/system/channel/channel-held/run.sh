#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says WORDS: the holder has
says() {
	grep -qx "$1" /tmp/holder
}

# round N: a system, whose channels the holder keeps
round() {
	limpet run "$PWD/nodes.limpet" >/dev/null && within 20 says "holds $1" && limpet stop && within 10 says "ended $1"
}

count=20
attach
./holder $((count + 2)) >/tmp/holder &
holder=$!
check "the first system's channels" "$(cat /tmp/holder; ls /dev/limpet)" round 1
check "the second one's" "$(cat /tmp/holder)" round 2
memory_mark
for number in $(seq 3 $((count + 2))); do
	round "$number" || break
done
equal "what is left when systems end" "ended $((count + 2))" "$(tail -n 1 /tmp/holder)"
memory_kept $((count * 9)) # the process has a page of its own for each of its two mappings
figure "{\"suite\": \"system\", \"case\": \"channel-held\", \"rounds\": $count, $memory_drift}"

refused "detach" "^limpet detach: $holder \(holder\) has /dev/limpet/(echo|shared) open: end that process first, or .limpet detach --force" \
	limpet detach
check "the holder lives" "$(cat /tmp/holder)" [ -e "/proc/$holder" ]
limpet run "$PWD/nodes.limpet" >/dev/null
refused "detach --force while a system runs" "stop" limpet detach --force
check "the holder lives still" "$(cat /tmp/holder)" [ -e "/proc/$holder" ]
holds "detach --stop --force" limpet detach --stop --force
check "it says whom it has killed" "$said" \
	sh -c 'echo "$1" | grep -q "^killed process $2 (holder), which had /dev/limpet/"' sh "$said" $holder
wait $holder
equal "the holder was killed" 137 $?
check "the module is unloaded" "$(lsmod)" [ ! -e /sys/module/limpet ]
linux_is_well
finish
