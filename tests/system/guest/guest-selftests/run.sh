#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# results NAME COMMAND...: prints the exit status, and the number of checks with each outcome that a program printed.
# Some programs make 32-bit calls, which the bit `rest` of a filter refuses
results() {
	out=/tmp/out.$1
	shift
	(cd /tmp && timeout -s KILL 240 "$@") >"$out" 2>&1 </dev/null
	status=$?
	echo "status $status: $(sed -n 's/^\(ok\|not ok\|\[OK\]\|\[FAIL\]\|\[SKIP\]\|\[XFAIL\]\).*/\1/p' "$out" | sort | uniq -c |
		tr -s ' \n' ' ')"
}

good=0 count=0
for program in /limpet/selftests/*; do
	name=${program##*/}
	results "$name" "$program" >"/tmp/plain.$name"
	count=$((count + 1))
	case $(cat "/tmp/plain.$name") in
	"status 0: "*) good=$((good + 1)) ;;
	*) echo "$name without Limpet: $(cat "/tmp/plain.$name")" ;;
	esac
done
echo "$good of $count programs have status 0 without Limpet"
check "most programs are good without Limpet" "$good of $count" [ $good -ge 50 ]
start_probe guest-probe
for mode in "1 passed" "2 results"; do
	limpet guest run --executive probe ./mode "${mode%% *}" || fail "mode $mode" "status $?"
	for program in /limpet/selftests/*; do
		name=${program##*/} plain=$(cat "/tmp/plain.${program##*/}")
		found=$(results "$name" limpet guest run --executive probe --calls '!rest' -- "$program")
		# Tests that depend on time can fail once.
		[ "$found" = "$plain" ] || found=$(results "$name" limpet guest run --executive probe --calls '!rest' -- "$program")
		[ "$found" = "$plain" ] || grep -v '^\(ok\|\[OK\]\)' "/tmp/out.$name" | tail -n 12
		equal "$name, ${mode#* }" "$plain" "$found"
	done
done
end_probe
finish
