#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says WORDS: succeeds if the holder has printed this line
says() {
	grep -qx "$1" /tmp/holder
}

# round N: runs and stops a system, while the holder keeps its channels open
round() {
	limpet run "$PWD/nodes.limpet" >/dev/null && within 20 says "holds $1" && limpet stop && within 10 says "ended $1"
}

count=20
attach
./holder $((count + 2)) >/tmp/holder &
holder=$!
check "the first system's channels" "$(cat /tmp/holder; ls /dev/limpet)" round 1
check "the second system's channels" "$(cat /tmp/holder)" round 2
memory_mark
for number in $(seq 3 $((count + 2))); do
	round "$number" || break
done
equal "all systems have ended" "ended $((count + 2))" "$(tail -n 1 /tmp/holder)"
memory_kept $((count * 12)) # the process may keep pages for its three mappings
figure "{\"suite\": \"system\", \"case\": \"channel-held\", \"rounds\": $count, $memory_drift}"

refused "detach" "^limpet detach: $holder \(holder\) has /dev/limpet/(echo|shared) open. End that process first, or run .limpet detach --force" \
	limpet detach
check "the holder still runs" "$(cat /tmp/holder)" [ -e "/proc/$holder" ]
# A FIFO of another system, in a process whose first thread has ended.
must limpet run "$PWD/fifo.limpet"
./alone /dev/rtf1 >/tmp/alone &
alone=$!
within 20 grep -qx alone /tmp/alone || fail "it has the FIFO open" "$(cat /tmp/alone)"
must limpet stop
refused "detach names both processes" \
	"$holder \(holder\) has /dev/limpet/(echo|shared), $alone \(alone\) has /dev/rtf1 open. End these processes first" \
	limpet detach
limpet run "$PWD/nodes.limpet" >/dev/null
refused "detach --force while a system runs" "stop" limpet detach --force
check "the holder runs after that refusal" "$(cat /tmp/holder)" [ -e "/proc/$holder" ]
holds "detach --stop --force" limpet detach --stop --force
check "it names the killed process" "$said" \
	sh -c 'echo "$1" | grep -q "^killed process $2 (holder), which had /dev/limpet/"' sh "$said" $holder
wait $holder
equal "the holder ended by SIGKILL" 137 $?
check "it names the other killed process" "$said" \
	sh -c 'echo "$1" | grep -qx "killed process $2 (alone), which had /dev/rtf1 open"' sh "$said" $alone
wait $alone
equal "the other process ended by SIGKILL" 137 $?
check "the module is unloaded" "$(lsmod)" [ ! -e /sys/module/limpet ]
linux_is_well
finish
