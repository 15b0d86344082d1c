# SPDX-License-Identifier: GPL-2.0
# Functions of the tests with a laboratory (lab.h).
. /limpet/system.sh

splats() {
	dmesg | grep -vE 'RETBleed:|Speculative Return Stack Overflow:|Spectre V2 :|ITS:' | grep -E 'BUG|WARNING|Oops|Call Trace|RT throttling|soft lockup|stall' | head -3
}

# lab_start NAME: attaches and runs NAME.limpet, or in `make test-all` NAME-long.limpet. With page-table isolation each
# call and return flushes QEMU's translations. Then NAME-isolated.limpet does less, and Linux gets a larger share
lab_start() {
	attach
	lab_image=$1
	set --
	if grep -m1 '^flags' /proc/cpuinfo | grep -qw pti; then
		[ ! -e "$lab_image-isolated.limpet" ] || lab_image=$lab_image-isolated
		set -- --linux-share 300
	elif [ -n "$LIMPET_LONG" ] && [ -e "$lab_image-long.limpet" ]; then
		lab_image=$lab_image-long
	fi
	start "$PWD/$lab_image.limpet" "$@"
}

lab_ended() {
	grep -q "^$prover: verdicts " $log || nothing_loaded
}

# lab_verdicts SECONDS [NAME]: collects the verdicts that a component prints, and compares their number with its count
lab_verdicts() {
	prover=${2:-lab}
	within "$1" lab_ended || fail "$prover comes to its end" "$(grep -v '^witness: turns' $log | tail -n 5)"
	given=0
	sed -n "s/^$prover: \\(ok\\|not\\) /\\1 /p" $log >/tmp/verdicts
	while read -r word rest; do
		given=$((given + 1))
		if [ "$word" = ok ]; then
			pass "$prover: $rest"
		else
			fail "$prover: ${rest%%: *}" "${rest#*: }"
		fi
	done </tmp/verdicts
	equal "verdicts of $prover" "$prover: verdicts $given" "$(grep "^$prover: verdicts " $log)"
}

# witness_turns: prints the last reported number, or 0 without a report, because a short lab may end sooner
witness_turns() {
	sed -n 's/^witness: turns \([0-9]*\) .*/\1/p' $log | tail -n 1 | grep . || echo 0
}
witness_continues() {
	[ "$(witness_turns)" -gt "$turns" ]
}
# lab_others: checks that the witness continues and found no error, and that Linux is well
lab_others() {
	turns=$(witness_turns)
	check "the others continue" "turns of the witness: $(witness_turns)" within 20 witness_continues
	equal "the others notice nothing" "" "$(grep '^witness: wrong' $log | head -n 3)"
	check "Linux continues" "no process could be started" sh -c 'sleep 0.2; true'
	equal "no complaint of Linux" "" "$(splats)"
}

# lab_faults INDEX: checks that `limpet ps` counts faults of the component with this index, and of no other one
lab_faults() {
	faults=$(limpet ps | awk -v index_="$1" '$1 == 0 && $2 == index_ { print $6 }')
	check "limpet ps reports the faults" "faults of component $1: '$faults'" [ "${faults:-0}" -gt 0 ]
	equal "no other component faults" "" \
		"$(limpet ps | awk -v index_="$1" '/THREAD OF/ { exit } $1 == 0 && $2 != index_ && $6 > 0' | head -n 3)"
}

lab_stop() {
	holds "stop" limpet stop
	holds "detach" limpet detach
	equal "no complaint of Linux at the end" "" "$(splats)"
}
