#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/systems.sh

# counted ID NAME WORDS: checks that the executive of a system has counted a program's calls
counted() {
	of "$1"
	grep -q "$2" $log
}

# reported [OPTION...]: prints the ids of the systems that the exporter reports
reported() {
	limpet "$@" exporter --textfile /tmp/metrics --interval 0
	echo $(sed -n 's/^limpet_uptime_seconds{id="\([0-9]*\)".*/\1/p' /tmp/metrics)
}

must limpet attach
launch busy --linux-share 400
first=$host_pid
equal "the first system has id 0" 0 "$id"

# --- a second system on the same CPU: it starts, is selected and stops, and the first continues
for round in $(seq "$(rounds 1 50)"); do
	launch loop --priority 91
	equal "$round: the second has id 1" 1 "$id"
	on 1 "$round: the second runs"
	on 0 "$round: the first continues beside it"
	holds "$round: both are listed" runs 2
	equal "$round: one is chosen by name" loop "$(limpet --system loop ps | sed -n '1s/[ :].*//p')"
	equal "$round: one is chosen by number" busy "$(limpet --system 0 ps | sed -n '1s/[ :].*//p')"
	equal "$round: one is chosen by the environment" loop "$(LIMPET_SYSTEM=1 limpet ps | sed -n '1s/[ :].*//p')"
	refused "$round: stop without a choice" 'Several systems run. Choose one .*: 0 \(busy, .*\), 1 \(loop, .*\)' limpet stop
	for command in stat log crash hist "trace --seconds 1"; do
		refused "$round: $command without a choice" 'Several systems run. Choose one' limpet $command
	done
	refused "$round: a system that does not run" "No system 'x' runs. These systems run: 0 \\(busy," limpet --system x ps
	refused "$round: a number that is free" "No system '5' runs. These systems run: 0 \\(busy," limpet --system 5 stop
	refused "$round: detach" 'A system is running' limpet detach
	holds "$round: each has its log" sh -c 'limpet --system 1 log | grep -q loop && limpet --system 0 log | grep -q busy'
	holds "$round: the second stops" limpet --system loop stop
	on 0 "$round: the first continues alone"
	holds "$round: no choice is needed any more" limpet stat
	equal "$round: the first has its host process" "$first" "$(limpet ps | sed -n '1s/.*host process \([0-9]*\),.*/\1/p')"
done

# --- the host process of one system is killed; the other continues
launch busy --linux-share 400
kill -9 "$host_pid"
check "a killed system is gone" "$(limpet ps)" within 20 runs 1
on 0 "the first continues after the second was killed"
launch loop
kill -9 "$first"
check "the first is gone" "$(limpet ps)" within 20 runs 1
on 1 "the second continues after the first was killed"
launch ping
equal "a free id is used again" 0 "$id"
marked=0
check "ping is right beside it" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "all stop" limpet stop --all
holds "none is left" nothing_loaded
holds "stopping none is no error" limpet stop --all

# --- names of devices
launch call
refused "a channel whose name another system has" \
	'Channel pong: .*Linux has this name already' limpet run $images/call.limpet
holds "the first has its channel" test -c /dev/limpet/pong
holds "the one with the channel stops" limpet stop
launch call
holds "the name is free again" test -c /dev/limpet/pong
holds "stop" limpet stop

# --- the maximum number of systems
for number in 0 1 2 3 4 5 6 7; do
	launch loop
	equal "system $number" "$number" "$id"
done
refused "one more" '8 systems are loaded, which is the maximum' limpet run $images/idle.limpet
refused "a name that several have" "Several systems are named 'loop'. Choose one by its number" limpet --system loop ps
for number in 0 7 3; do
	on $number "system $number is in time among eight"
done
equal "the exporter reports all systems" "0 1 2 3 4 5 6 7" "$(reported)"
equal "the exporter reports the one that was chosen" 5 "$(reported --system 5)"
holds "one in the middle stops" limpet --system 3 stop
on 4 "its neighbour continues"
launch idle
equal "its id is used again" 3 "$id"
holds "detach --stop stops all" limpet detach --stop

# --- the share of Linux is that of all systems together
must limpet attach
launch hog
launch hog --priority 91
if [ "$LIMPET_CPUS" = 1 ]; then
	for try in $(seq 8); do # the machine may pause during some of them
		set -- $(/limpet/counter "$(rounds 4 10)")
		[ "$1" -lt 80 -o "$1" -gt 170 ] || break
	done
	check "two systems leave Linux its share, per mille" "$1" [ "$1" -ge 80 -a "$1" -le 170 ]
fi
equal "no complaint of Linux" "" "$(dmesg | grep -E 'RT throttling|soft lockup|stall|hung task|BUG|WARNING' | head -n 3)"
holds "both stop" limpet stop --all

# --- on different CPUs
if [ "$LIMPET_CPUS" -gt 1 ]; then
	launch busy --linux-share 400
	launch busy --linux-share 400 --cpus 1
	on 1 "a system on CPU 1"
	on 0 "the one on CPU 0"
	holds "the one on CPU 0 stops" limpet --system 0 stop
	on 1 "the one on CPU 1 continues alone"
	holds "no choice is needed" limpet stop
fi

# --- guests of one system each
launch guest-count
launch guest-count
holds "the executives serve" within 10 eval 'limpet --system 0 guest run true && limpet --system 1 guest run true'
refused "a guest without a choice" 'Several systems run' limpet guest run true
judged "two systems and their guests" ./split
holds "the first stops" limpet --system 0 stop
holds "the other has guests" limpet guest run true
holds "it stops" limpet stop
check "the first one's executive has counted" "$(tail -n 3 /run/limpet/log)" counted 0 getppid
check "the second one's executive has counted" "$(tail -n 3 /run/limpet/log@1)" counted 1 getppid
holds "detach" limpet detach
linux_is_well
finish
