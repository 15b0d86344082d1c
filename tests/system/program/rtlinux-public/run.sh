#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each line of `list` has a module and the command that its documentation runs with it. PROGRAM is the partner for
# Linux.
. /limpet/system.sh

# all_in TEXT FILE: prints the lines of the file, which are regular expressions, that no line of the text has
all_in() {
	while read -r line; do
		echo "$1" | grep -qE -- "$line" || echo "$line"
	done <"$2"
}

ended() {
	logged 1 '^module: module is removed$' || logged 1 'the module is not loaded$'
}

attach
while read -r program command <&4; do
	start "$PWD/$program.limpet"
	within 20 logged 1 '^module: ' || fail "$program starts" "$(since_mark | tail -n 3)"
	printed=
	if [ "$command" != - ]; then
		printed=$(PROGRAM=$PWD/$program.user sh -c "$command" 2>&1)
	fi
	within 60 ended || fail "$program ends" "$(since_mark | tail -n 5)"
	equal "$program: its documented messages" "" "$(all_in "$(since_mark)" "$program.says")"
	equal "$program: what its partner prints" "" "$(all_in "$printed" "$program.prints")"
	failures=$(since_mark | grep -E 'TEST PANIC|TEST FAILED|NOT PASSED|Test FAILED|FP error|is refused' | head -n 3)
	equal "$program: no failure" "" "$failures"
	must limpet stop
done 4<list

# The programs of the suite's folder mqueues need a queue that another module creates.
start "$PWD/queues.limpet"
check "queues: all modules are loaded" "$(since_mark | tail -n 5)" within 20 logged 5 'module is loaded$'
for program in writer-1 writer-3; do
	check "queues: $program" "$(since_mark | tail -n 5)" within 20 logged 5 "^$program: .*Data has been sent$"
done
for program in reader-3 reader-4; do
	check "queues: $program" "$(since_mark | tail -n 5)" within 20 logged 5 "^$program: .*Data has been received$"
done
equal "queues: no error" "" "$(since_mark | grep Error | head -n 3)"
must limpet stop
holds "detach" limpet detach
linux_is_well
finish
