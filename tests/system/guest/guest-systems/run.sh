#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/systems.sh

# begin CPU: starts a system on the CPU, and waits until its executive serves guests. Sets `id`
begin() {
	launch guest-count --cpus "$1"
	within 10 serves || fail "the executive of system $id serves guests" "$(since_mark | tail -3)"
	within 10 only 0
	sleep 0.2 # for the table of the guests that tried
	mark
}
serves() {
	limpet --system "$id" guest run --calls none true 2>/dev/null
}

# rows ID: prints the lines of `limpet guest ps` for this system. The name of the executive ends with @ and the number
# of the system if that is not 0
rows() {
	name=count
	[ "$1" = 0 ] || name=$name@$1
	limpet guest ps 2>/dev/null | awk -v name="$name" '$4 == name'
}
# only COUNT: succeeds if the system $id has this number of guests
only() {
	[ "$(rows "$id" | wc -l)" -eq "$1" ]
}

# steady ID CPU NUMBER: starts a guest of the system that runs until its file exists
steady() {
	limpet --system "$1" guest run -- ./steady /tmp/stop.$1 "$2" >/tmp/steady.$1.$3 2>&1 &
	eval "steady_$1=\"\$steady_$1 $!\""
}

# crowd: starts guests of system $id that only end with it, and waits until they run
crowd() {
	crowd=
	for command in "sleep 1000" "sh -c 'while :; do :; done'" "./steady /tmp/none $1"; do
		eval "limpet --system $id guest run -- $command >/dev/null 2>&1 &"
		crowd="$crowd $!"
	done
	within 20 only 3 || fail "the crowd runs in system $id" "$(limpet guest ps)"
	sleep 0.2
}
# crowd_killed NAME: checks that the end of their system has ended them all
crowd_killed() {
	for guest in $crowd; do
		wait "$guest"
		equal "$1: a guest of the ended system got SIGKILL" 137 $?
	done
}

# goes_on NAME ID: checks that the guests of the system still run and make calls
goes_on() {
	id=$2
	check "$1: the other system has its guests" "$(limpet guest ps)" test "$(running "$2")" -ge 2
	first=$(calls_of "$2")
	check "$1: they make calls" "$(limpet guest ps)" within 10 more "$2" "$first"
}
running() {
	rows "$1" | grep -c ' steady$'
}
# calls_of ID: prints the number of calls that the executive got of the guests
calls_of() {
	rows "$1" | awk '$NF == "steady" { sum += $6 } END { print sum + 0 }'
}
more() {
	[ "$(calls_of "$1")" -gt "$2" ]
}

# steady_ends ID: checks that the results of the guests were right, and that the executive has counted all their calls
steady_ends() {
	touch /tmp/stop.$1
	for guest in $(eval "echo \$steady_$1"); do
		wait "$guest"
		equal "system $1: a guest ends well" 0 $?
	done
	equal "system $1: all results were right" "right right" "$(echo $(cut -d ' ' -f 1 /tmp/steady.$1.*))"
	of "$1"
	marked=0
	check "system $1: a table" "$(tail -n 3 $log)" within 10 logged 1 ' getppid$'
	equal "system $1: the executive has counted each call" "$(awk '{ sum += $2 } END { print sum }' /tmp/steady.$1.*)" \
		"$(awk '$1 == "count:" && $7 == "getppid" { print $5 }' $log)"
}

second=$((LIMPET_CPUS - 1))
must limpet attach
begin 0
equal "the first system" 0 "$id"
begin $second
equal "the second system" 1 "$id"
judged "two systems and their guests" ./split

# A process of one system cannot become a guest of the other one.
limpet --system 0 guest run -- sh -c 'while :; do :; done' &
looper=$!
id=0
within 10 only 1 || fail "a guest of system 0" "$(limpet guest ps)"
id=1
check "it is not one of system 1" "$(limpet guest ps)" only 0
refused "it is not attached to system 1" 'is a guest already' limpet --system 1 guest attach $looper
id=0
check "it is still a guest of system 0" "$(limpet guest ps)" only 1
holds "it is released" limpet guest release $looper
holds "then it is attached to system 1" limpet --system 1 guest attach $looper
id=1
check "it is a guest of system 1" "$(limpet guest ps)" within 10 only 1
holds "it is killed" limpet guest kill $looper
wait $looper
holds "all stop" limpet stop --all

# ends ID CPU, keeps ID CPU: each system is ended while the guests of the other one run.
for turn in "0 0 1 $second" "1 $second 0 0"; do
	set -- $turn
	rm -f /run/limpet/log* /tmp/stop.* /tmp/steady.*
	steady_0= steady_1=
	begin 0
	begin $second
	for number in 1 2; do
		steady "$3" "$4" $number
	done
	id=$3
	within 20 only 2 || fail "the guests of system $id run" "$(limpet guest ps)"
	for round in $(seq "$(rounds 2 20)"); do
		what="system $1 ends, round $round"
		id=$1
		crowd "$2"
		holds "$what: it stops" limpet --system "$1" stop
		crowd_killed "$what"
		goes_on "$what" "$3"
		begin "$2"
		equal "$what: it has its id again" "$1" "$id"
		crowd "$2"
		kill -9 "$host_pid"
		check "$what: it is killed" "$(limpet ps)" within 20 runs 1
		crowd_killed "$what, killed"
		goes_on "$what, killed" "$3"
		begin "$2"
		equal "$what, killed: it has its id again" "$1" "$id"
	done
	steady_ends "$3"
	holds "system $1 serves at the end" limpet --system "$1" guest run true
	holds "all stop at the end of $1" limpet stop --all
done
holds "detach" limpet detach
linux_is_well
finish
