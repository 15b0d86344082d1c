#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# results NAME COMMAND...: prints the exit status of a program, and a line for each subtest in the order of the output:
# its result and its name. Numbers in names are left out, because they can be addresses, times and ids of processes
results() {
	out=/tmp/out.$1
	shift
	(cd /tmp && timeout -s KILL 240 "$@") >"$out" 2>&1 </dev/null
	echo "status $?"
	awk '{ sub(/^[ \t]+/, ""); result = "" }
		match($0, /^(not )?ok [0-9]+/) { result = substr($0, 1, RLENGTH) }
		match($0, /^\[(OK|FAIL|SKIP|XFAIL)\]/) { result = substr($0, 1, RLENGTH) }
		result != "" {
			name = substr($0, length(result) + 1)
			gsub(/0x[0-9a-fA-F]+/, "N", name)
			gsub(/[0-9]+/, "N", name)
			print result name
		}' "$out"
}

# counts FILE: prints the exit status in results, and the number of subtests with each result
counts() {
	sed 's/^\(ok\|not ok\|\[[A-Z]*\]\|status [0-9]*\).*/\1/' "$1" | sort | uniq -c | tr -s ' \n' ' '
}

# as_plain NAME: succeeds if the results of the guest are those without Limpet. Of a program whose lines differ in two
# runs without Limpet, only the numbers of results are compared
as_plain() {
	if [ -e "/tmp/varies.$1" ]; then
		[ "$(counts "/tmp/plain.$1")" = "$(counts "/tmp/guest.$1")" ]
	else
		cmp -s "/tmp/plain.$1" "/tmp/guest.$1"
	fi
}

# as_guest NAME PROGRAM: runs the program as a guest. Some programs make 32-bit calls, which the bit `rest` of a filter
# refuses
as_guest() {
	results "$1" limpet guest run --executive probe --calls '!rest' -- "$2" >"/tmp/guest.$1"
}

good=0 count=0 lines=0 varying=
for program in /limpet/selftests/*; do
	name=${program##*/}
	results "$name" "$program" >"/tmp/plain.$name"
	results "$name" "$program" >"/tmp/again.$name"
	if ! cmp -s "/tmp/plain.$name" "/tmp/again.$name"; then
		echo "$name without Limpet, twice:"
		diff "/tmp/plain.$name" "/tmp/again.$name" | head -n 6
		touch "/tmp/varies.$name"
		varying="$varying $name"
	fi
	count=$((count + 1)) lines=$((lines + $(wc -l <"/tmp/plain.$name") - 1))
	if grep -q '^status 0$' "/tmp/plain.$name"; then
		good=$((good + 1))
	else
		echo "$name without Limpet: $(counts "/tmp/plain.$name")"
	fi
done
echo "$good of $count programs have status 0 without Limpet, with $lines subtests. They vary:$varying"
check "most programs are good without Limpet" "$good of $count" [ $good -ge 50 ]
check "the programs have subtests" "$lines" [ $lines -ge 200 ]
check "few programs have other results in each run" "$varying" [ "$(echo $varying | wc -w)" -le 8 ]
start_probe guest-probe
for mode in "1 passed" "2 results"; do
	limpet guest run --executive probe ./mode "${mode%% *}" || fail "mode $mode" "status $?"
	for program in /limpet/selftests/*; do
		name=${program##*/}
		as_guest "$name" "$program"
		# Tests that depend on time can fail once.
		as_plain "$name" || as_guest "$name" "$program"
		as_plain "$name" || grep -v '^\(ok\|\[OK\]\)' "/tmp/out.$name" | tail -n 12
		check "$name, ${mode#* }" "$(diff "/tmp/plain.$name" "/tmp/guest.$name" | head -n 8)" as_plain "$name"
	done
done
end_probe
finish
