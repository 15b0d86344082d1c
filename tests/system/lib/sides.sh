# SPDX-License-Identifier: GPL-2.0
# Functions for systems with a part on each of many processors: tests/harness/sides.py.

# lines_of WORD TEXT COUNT: prints how many components WORD-N have written COUNT lines with the text since the mark
lines_of() {
	since_mark | grep -o "^$1-[0-9]*: .*$2" | cut -d : -f 1 | sort | uniq -c | awk -v n="$3" '$1 >= n' | wc -l
}

# have_written NUMBER WORD TEXT COUNT: succeeds if NUMBER components have
have_written() {
	[ "$(lines_of "$2" "$3" "$4")" = "$1" ]
}

# sides_run CPUS: checks that each pair of processors exchanges all its events, and that the loop of each continues
sides_run() {
	within 600 have_written $(($1 / 2)) bounce done 1
	equal "$1: pairs that have lost no event" $(($1 / 2)) "$(lines_of bounce done 1)"
	mark
	within 600 have_written "$1" loop '"timer"' 2
	equal "$1: loops that continue" "$1" "$(lines_of loop '"timer"' 2)"
	equal "$1: processors with components" "$1" \
		"$(limpet ps | awk '/THREAD OF/ { exit } $1 ~ /^[0-9]+$/ { print $1 }' | sort -u | wc -l)"
	equal "$1: faults of components on each processor" "$1 0" \
		"$(limpet stat | awk '/faults of components/ { print $1 }' | sort | uniq -c | sed 's/^ *//')"
}
