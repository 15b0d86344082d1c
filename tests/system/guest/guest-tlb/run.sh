#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

rounds=20
limit=300 # seconds for each program, because Bochs is slow

# measure COMMAND...: runs the program, and keeps its figures
measure() {
	"$@" $rounds >>/tmp/figures || fail "$*" "status $?"
}

# looked_up CASE SUBJECT: prints the pages that were looked up again of 64 and of 256, the median of nine measurements
looked_up() {
	for pages in 64 256; do
		sed -n "s/.*\"case\": \"$1-walks-$pages\", \"subject\": \"$2\".*\"median\": \([0-9]*\),.*/\1/p" /tmp/figures
	done | tr '\n' ' '
}

# kept CASE SUBJECT NAME: checks that most translations of the program's pages were kept. Others displace some of them.
kept() {
	found=$(looked_up $1 $2)
	check "$3: translations are kept" "$found of 64 and 256 pages were looked up again" \
		sh -c 'test $# -eq 2 -a "$1" -le 16 -a "$2" -le 64' "$0" $found
}

holds "the processor has PCID" grep -qw pcid /proc/cpuinfo
: >/tmp/figures
measure ./working_set call linux null
measure ./working_set space linux futex
start_probe guest-probe
measure limpet guest run --executive probe --calls getppid -- ./working_set call limpet null
# These programs check that the processor does not use stale translations. They can be those of the executive, of a
# page that it has revoked, of another space, or of an ended process whose id is used again.
run_guest "addresses" ./addresses
run_guest "pages" ./pages 0 1
run_guest "births" ./births 0
run_guest "kills" ./kills 0 1000
must limpet stop
start guest-spaces
measure limpet guest run --executive spaces --calls 500 -- ./working_set space limpet spaces
judged "switches" limpet guest run --executive spaces -- ./switches 600 100
judged "hostile spaces" limpet guest run --executive spaces -- ./hostile 5
end_probe
while read -r line; do
	case $line in
	*walks*) figure "$(echo "$line" | sed 's/^{"figure": \(.*\)}$/\1/')" ;;
	esac
done </tmp/figures
kept call linux "a system call of Linux"
kept call limpet "a system call that an executive answers"
kept space linux "a switch of processes"
kept space limpet "a switch of spaces"
finish
