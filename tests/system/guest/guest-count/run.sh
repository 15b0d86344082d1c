#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# counted NAME COMMAND...: runs a guest of the executive, waits for its table, and stores it in /tmp/table
counted() {
	executive=$1
	shift
	mark
	limpet guest run --executive $executive -- "$@" >/tmp/out
	status=$?
	within 10 logged 1 "^$executive: .* total$" || fail "$executive prints a table of $*" "$(since_mark | tail -3)"
	# The line of signals follows the row of the sum.
	within 10 guests 0
	sleep 0.2
	since_mark | sed -n "s/^$executive: //p" >/tmp/table
}

# row NAME [FIELD]: prints the fields of a row, such as its calls and errors, 4 and 5
row() {
	awk -v name="$1" '$6 == name || ($6 " " $7) == name { print $'"${2:-4}"' " " $'"${3:-5}"' }' /tmp/table
}
# row_is NAME CALLS ERRORS: gives a verdict on a row
row_is() {
	equal "$what: calls and errors of $1" "$2 $3" "$(row "$1")"
}

attach
start guest-count
within 10 probe_ready count || fail "the executive serves guests" "$(since_mark | tail -3)"
within 10 guests 0
sleep 0.2

what="known calls"
counted count ./calls
equal "$what: status" 0 $status
equal "$what: the first line" "all guests" "$(head -n 1 /tmp/table)"
equal "$what: the second line" "% time microseconds us/call calls errors call" "$(echo $(sed -n 2p /tmp/table))"
row_is getppid 300 0
row_is dup 40 40
row_is "other numbers" 14 14
row_is nanosleep 3 0
row_is rt_sigreturn 5 "$(row rt_sigreturn 5 9 | tr -d ' ')"
row_is kill 8 0
row_is exit_group 1 0
equal "$what: time of a call that does not return" "0 0" "$(row exit_group 2 3)"
equal "$what: signals" "5 signals" "$(tail -n 1 /tmp/table)"
check "$what: three sleeps of 50 ms take their time" "$(row nanosleep 2 3) µs" \
	sh -c '[ $1 -ge 150000 ] && [ $1 -lt 4000000 ] && [ $2 -eq $(($1 / 3)) ]' sh $(row nanosleep 2 3)
equal "$what: the sums of calls and errors" "$(row total)" \
	"$(awk 'NR > 2 && NF > 5 && $6 != "total" { calls += $4; errors += $5 } END { print calls " " errors }' /tmp/table)"
check "$what: the sum of times" "$(cat /tmp/table)" awk 'NR > 2 && NF > 5 { if ($6 == "total") all = $2; else sum += $2 }
	END { exit !(sum <= all && sum + NR >= all) }' /tmp/table
check "$what: rows are sorted by time" "$(cat /tmp/table)" \
	awk 'NR > 2 && NF > 5 && $6 != "total" { if (NR > 3 && $2 > last) exit 1; last = $2 }' /tmp/table
check "$what: the parts of a row" "$(cat /tmp/table)" \
	awk 'NR > 2 && NF > 5 { if ($3 != int($2 / $4)) exit 1; sum += $1 } $6 == "total" { exit !($1 > 98 && $1 <= 100) }' /tmp/table

# strace counts the same calls of the same program, without the calls that do not return.
strace -f -c -o /tmp/strace ./calls
awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF, $4, (NF > 5 ? $5 : 0) }' /tmp/strace | grep -v '^exit\|^syscall_' |
	sort >/tmp/by-strace
awk 'NR > 2 && NF == 6 && $6 != "total" { print $6, $4, $5 }' /tmp/table | grep -v '^exit' | sort >/tmp/by-count
check "strace has counted" "$(cat /tmp/strace)" grep -q '^getppid 300 0$' /tmp/by-strace
check "the same calls and errors as strace -c" "$(diff /tmp/by-strace /tmp/by-count | head -n 8)" cmp -s /tmp/by-strace /tmp/by-count

what="threads"
counted count ./calls threads 20
equal "$what: status" 0 $status
row_is getppid 20000 0

what="children"
counted count ./calls processes 40
equal "$what: status" 0 $status
row_is getppid 820 0
row_is exit_group 41 0
row_is wait4 40 0

what="programs that are executed"
counted count ./calls execute 5
equal "$what: status" 0 $status
row_is getppid 6 0
row_is execve 6 0

what="a killed program"
counted count ./calls killed
equal "$what: status" 137 $status
row_is getppid 20 0
check "$what: the signal that ends it does not count" "$(tail -n 1 /tmp/table)" sh -c '! grep -q signals /tmp/table'

what="the calls of a filter"
mark
limpet guest run --executive count --calls getppid -- ./calls
within 10 logged 1 '^count: .* total$'
equal "$what: only these are counted" "300 getppid 300 total" \
	"$(echo $(since_mark | sed -n 's/^count: *[0-9.]* *[0-9]* *[0-9]* *\([0-9]*\) *0 \([a-z0-9_]*\)$/\1 \2/p'))"

# A table of all guests is printed when the last one ends.
what="two programs at a time"
mark
limpet guest run --executive count -- ./calls stays >/tmp/stays &
stays=$!
within 10 grep -q stays /tmp/stays || fail "$what: the first runs" "$(limpet guest ps)"
limpet guest run --executive count -- ./calls
sleep 0.5
equal "$what: no table while one runs" 0 "$(since_mark | grep -c '^count: ')"
kill $stays
wait $stays
within 10 logged 1 '^count: .* total$' || fail "$what: a table" "$(since_mark | tail -3)"
since_mark | sed -n "s/^count: //p" >/tmp/table
row_is getppid 310 0
within 10 guests 0
holds "the system stops" limpet stop

# --- other arguments
start "$PWD/kinds.limpet"
for name in plain each often; do
	within 10 probe_ready $name || fail "$name serves guests" "$(since_mark | tail -3)"
done
within 10 guests 0
sleep 0.5

what="results = 0, signals = 0"
counted plain ./calls
equal "$what: the second line" "calls call" "$(echo $(sed -n 2p /tmp/table))"
equal "$what: rows" "300 getppid 40 dup 14 other numbers 3 nanosleep" \
	"$(echo $(grep -E ' (getppid|dup|other numbers|nanosleep)$' /tmp/table))"
check "$what: no line for signals" "$(tail -n 1 /tmp/table)" sh -c '! grep -q signals /tmp/table'

what="per-process = 1"
counted each ./calls processes 40
equal "$what: status" 0 $status
within 20 logged 41 '^each: process [0-9]*$'
since_mark | sed -n "s/^each: //p" >/tmp/tables
equal "$what: tables" 41 "$(grep -c '^process [0-9]*$' /tmp/tables)"
awk '$1 == "process" { process = $2 } $6 == "getppid" { print "child", $4, process }' /tmp/tables | sort >/tmp/by-count
sort /tmp/out >/tmp/by-children
equal "$what: children" 40 "$(wc -l </tmp/by-children)"
check "$what: each process has the calls that it made" "$(diff /tmp/by-children /tmp/by-count | head -n 6)" \
	cmp -s /tmp/by-children /tmp/by-count

what="more processes than are counted"
counted each ./calls processes 70
equal "$what: status" 0 $status
within 10 logged 1 '^each: [0-9]* threads were not counted' || fail "$what: a line" "$(since_mark | tail -3)"
within 10 guests 0
equal "$what: the line" "each: 7 threads were not counted, because more than 64 processes ran" \
	"$(since_mark | grep '^each: [0-9]* threads')"
# The tables of processes that end at the same time can exceed the console's buffer. Then the log has the number of
# dropped bytes.
complete() {
	[ "$(since_mark | grep -c '^each: process [0-9]*$')" -eq 64 ] || since_mark | grep -q 'bytes of the console were dropped'
}
check "$what: 64 tables, or a line about lost output" "$(since_mark | grep -c '^each: process')" within 20 complete

what="every-ms = 200"
mark
limpet guest run --executive often -- ./calls stays >/tmp/stays &
stays=$!
check "$what: tables while the program runs" "$(since_mark | tail -3)" within 10 logged 3 "^often: process $stays, which still runs$"
kill $stays
wait $stays
check "$what: a table at the end" "$(since_mark | tail -3)" within 10 logged 1 "^often: process $stays$"
sleep 0.5
mark
sleep 0.5
equal "$what: none after the end" "" "$(since_mark | grep '^often: ')"

check "no guest is left" "$(limpet guest ps)" within 10 guests 0
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
