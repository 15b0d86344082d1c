#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/systems.sh

# barriers ID: prints the number of barriers of the system with this id, on all its CPUs
barriers() {
	limpet --system "$1" stat | awk '$0 ~ "^ *[0-9]+  branch predictor barriers$" { n += $1 } END { print n + 0 }'
}

# rises ID NAME: checks that a system continues, with barriers
rises() {
	earlier=$(barriers "$1")
	on "$1" "$2"
	check "$2, with barriers" "$earlier, now $(barriers "$1")" [ "$(barriers "$1")" -ge $((earlier + 100)) ]
}

# plain ID NAME: checks that a system continues, without barriers
plain() {
	on "$1" "$2"
	equal "$2, without barriers" 0 "$(barriers "$1")"
}

# beside_others NAME OPTION...: starts and ends a system with barriers next to the system with id 0
beside_others() {
	name=$1
	shift
	for round in $(seq "$(part 2 24)"); do
		launch "$PWD/loop.limpet" "$@"
		equal "$name, $round: it has id 1" 1 "$id"
		rises 1 "$name, $round: the one with barriers"
		plain 0 "$name, $round: the other one"
		if [ $((round % 2)) = 0 ]; then
			kill -9 "$host_pid"
			check "$name, $round: it is gone" "$(limpet ps)" within 20 runs 1
		else
			holds "$name, $round: it stops" limpet --system 1 stop
		fi
		plain 0 "$name, $round: the other one alone"
	done
}

must limpet attach
launch loop
beside_others "lower priority" --priority 80
beside_others "higher priority" --priority 95
[ "$LIMPET_CPUS" = 1 ] || beside_others "another CPU" --cpus 1

# Run two systems with barriers. The end of the first must not remove the barriers of the other one.
launch "$PWD/loop.limpet"
launch "$PWD/loop.limpet" --priority 91
equal "the second one with barriers has id 2" 2 "$id"
rises 1 "the first of two"
rises 2 "the second of two"
holds "the first ends" limpet --system 1 stop
rises 2 "the second alone"
plain 0 "the one without"
holds "detach" limpet detach --stop
linux_is_well
finish
