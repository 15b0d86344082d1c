#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each line of `list` has a module and a command that runs with it. drive.py observes the parallel port.
. /limpet/system.sh

# all_in TEXT FILE: prints the lines of the file, which are regular expressions, that no line of the text has
all_in() {
	while read -r line; do
		echo "$1" | grep -qE -- "$line" || echo "$line"
	done <"$2"
}

attach
while read -r program command <&4; do
	echo "{\"loads\": \"$program\"}" >/dev/verdict
	sleep 1
	start "$PWD/$program.limpet"
	within 20 logged 1 '^module: ' || fail "$program starts" "$(since_mark | tail -n 3)"
	echo "{\"loaded\": \"$program\"}" >/dev/verdict
	[ "$command" = - ] || sh -c "$command"
	within 60 logged 1 '^module: module is removed$' || fail "$program ends" "$(since_mark | tail -n 5)"
	equal "$program: its documented messages" "" "$(all_in "$(since_mark)" "$program.says")"
	equal "$program: nothing is refused" "" "$(since_mark | grep -E 'is refused|does not assign' | head -n 3)"
	must limpet stop
done 4<list
holds "detach" limpet detach
linux_is_well
finish
