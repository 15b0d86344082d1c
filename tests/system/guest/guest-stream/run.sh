#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Rules of rules/stream.rules: first has 1200 packets a second, second has 600, others have none. The CPU handles 2500.
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/tasks.sh

calls=read,readv,recvfrom,recvmsg,recvmmsg,execve,execveat
by="limpet guest run --executive stream --calls $calls --"

# task NAME CALL MS: runs a task with the command before it in $by, with its output in /tmp/out.NAME. All tasks start at
# the second `$at`
task() {
	$by "/tmp/$1" "$2" "$at" "$3" >"/tmp/out.$1" &
	task=$!
	tasks="$tasks $task"
}

for name in first second other third fourth; do
	cp ./task /tmp/$name
done

# Without Limpet all have the same part of the CPU, 500 packets a second.
by=
begin "without Limpet"
for name in first second other third fourth; do
	task $name read 2000
done
done_all
between "packets without a promise" "$(out first)" 800 1200

attach
start "$PWD/streams.limpet"
within 10 probe_ready stream || fail "the executive serves guests" "$(since_mark | tail -3)"
by="limpet guest run --executive stream --calls $calls --"

begin "promises"
for name in first second other third fourth; do
	task $name read 2000
done
done_all
between "1200 packets a second" "$(out first)" 2400 2700
between "600 packets a second" "$(out second)" 1200 1900
# A window of 100 ms has nine whole periods of the executive.
between "1200 packets a second, in each window" "$(out first 2)" 108 135
between "600 packets a second, in each window" "$(out second 2)" 54 95
between "the rest for the others" "$(($(out other) + $(out third) + $(out fourth)))" 300 1300
between "the same for each of them" "$(out other)" "$(($(out third) * 7 / 10))" "$(($(out third) * 13 / 10 + 10))"

for call in read recvmmsg $(rounds "" "readv recvfrom recvmsg"); do
	begin "by $call"
	task second $call 1000
	task first $call 1000
	task other read 1000
	done_all
	between "1200 packets a second" "$(out first)" 1200 1400
	between "600 packets a second" "$(out second)" 600 950
	between "the rest for others" "$(out other)" 150 700
done

begin "a task alone"
task other read 1000
done_all
between "has the whole CPU" "$(out other)" 2100 2520

begin "a task whose packets come seldom"
task first pipe 1000
task other read 1000
done_all
between "receives them all" "$(out first)" 190 202
between "leaves the rest" "$(out other)" 1900 2420

begin "a program without its name"
by="limpet guest run --executive stream --calls read --" # without execve, the program is not known
task first read 1000
task other read 1000
done_all
between "has no promise" "$(out first)" 1050 1320
by="limpet guest run --executive stream --calls $calls --"

begin "a task that ends"
task first exit 1000
task other read 2000
done_all
between "has half of the CPU in each of two threads, until then" "$(out first)" 1150 1350
between "the rest of the time is for the others" "$(out other)" 2300 2520

begin "a task that is killed"
task first read 60000
killed=$task
task second read 60000
other_killed=$task
task other read 3000
last=$task
sleep 3
kill -9 $killed $other_killed
wait $killed
equal "$what: status" 137 $?
wait $other_killed
equal "$what: status of the second" 137 $?
wait $last
equal "$what: the other ends" 0 $?
between "the others get its time" "$(out other)" 4000 6500

begin "a task that is stopped"
task first read 3000
stopped=$task
task other read 3000
sleep 3
kill -STOP $stopped
sleep 1
kill -CONT $stopped
done_all
between "the others get its time" "$(out other)" 4200 5400
between "it continues" "$(out first)" 2100 2900

begin "a task that waits for its turn"
killed=
task first read 3000
task second read 3000
for number in 1 2 3; do
	task other read 60000
	killed="$killed $task"
done
sleep 3
for task in $killed; do
	kill -9 $task 2>/dev/null
	wait $task 2>/dev/null
done
for name in first second; do
	within 20 sh -c "[ -s /tmp/out.$name ]" || fail "$what: $name ends" "$(limpet guest ps)"
done
between "1200 packets a second" "$(out first)" 3600 5400

check "no guest is left" "$(limpet guest ps)" within 20 guests 0
holds "the system stops" limpet stop

# --- rules that are refused
start "$PWD/wrong.limpet"
check "an executive without rules serves guests" "$(since_mark | tail -3)" within 10 probe_ready empty
# wrong NAME LINE: checks the line that the executive prints, and that it serves no guest
wrong() {
	check "$1: the reason is in the log" "$(since_mark | grep "^$1: ")" within 10 logged 1 "^$1: $2: no guest is served$"
	refused "$1: no guest is served" "." limpet guest run --executive $1 true
}
wrong missing 'the ramdisk has no file missing.rules'
wrong others 'others.rules:2: the line promises something to \*: only programs with a name can have a promise'
wrong large 'large.rules:1: the line needs a number of packets in a second, 0 to 10000000'
wrong share 'share.rules:1: the line needs promise behind the program'
wrong twice 'twice.rules:3: the line names a program that has a rule already'
wrong behind 'behind.rules:1: the line has words behind the rule'
wrong short 'short.rules:1: the line needs promise behind the program'
wrong negative 'negative.rules:1: the line needs a number of packets in a second, 0 to 10000000'
wrong long 'long.rules:1: the line has a name of more than 31 characters'
wrong many 'many.rules:64: the line is one rule too many: 63 programs and \* can have one'
holds "the system with them stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
