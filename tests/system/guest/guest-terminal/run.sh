#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The transcript of a session at a terminal is the same without Limpet, in guests, and if only the shell is a guest.
. /limpet/system.sh
. /limpet/guest.sh

# session NAME COMMAND...: runs the program, and compares its transcript with `transcript`
session() {
	name=$1
	shift
	timeout -s KILL 90 "$@" >/tmp/terminal.out 2>&1 </dev/null
	equal "$name: comes to its end" 0 $?
	differs=$(diff -U 1 transcript /tmp/terminal.log | tail -n +4 | head -n 8)
	check "$name: the transcript" "$differs $(tail -c 400 /tmp/terminal.out)" \
		cmp -s transcript /tmp/terminal.log
}

start_probe guest-probe
session "not a guest" ./terminal plain
for mode in "1 passed" "2 results"; do
	session "guests, ${mode#* }" limpet guest run --executive probe -- ./terminal "${mode%% *}"
	session "the shell is a guest, ${mode#* }" \
		./terminal plain limpet guest run --executive probe -- ./terminal enter "${mode%% *}"
done
run_guest "calls" ./terminal check
end_probe
finish
