# SPDX-License-Identifier: GPL-2.0
# Runs the cases of a test suite on Linux and on Limpet, and compares. lib/cases.py builds them.
# The property's folder has names, and differences with lines of a case and a reason.

results=/tmp/results

# count WORDS: counts the lines of the results that match
count() {
	grep -cE -- "$1" $results
}

# cases_run LIMIT: runs all cases. A case that needs more seconds hangs
cases_run() {
	: >$results
	tail -f $results &
	shown=$!
	holds "all cases have run" sh -c "./suite . $1 <names >$results"
	equal "each case has an outcome" "$(wc -l <names)" "$(wc -l <$results)"
	kill $shown
}

# cases_judge: gives a verdict for each case with another outcome than on Linux, and each one that hangs
cases_judge() {
	both_fail=0
	# Fields: name, outcome on Linux, outcome on Limpet. 0 is a case that passed.
	while IFS='	' read -r name linux limpet; do
		reason=$(sed -n "s#^$name  *##p" differences)
		case $reason in hang:*) expected=hang ;; *) expected= ;; esac
		case $linux:$limpet:$expected in
		0:0:*) [ -z "$reason" ] || fail "$name" "it passes, and is in differences: remove it there" ;;
		*:hang:hang) [ "$linux" = 0 ] || both_fail=$((both_fail + 1)) ;;
		*:hang:) fail "$name" "hangs on Limpet, on Linux: $linux, and differences has no reason that begins with hang" ;;
		*:hang) fail "$name" "does not hang on Limpet: $limpet. Its reason in differences begins with hang: correct it" ;;
		0:*) [ -n "$reason" ] || fail "$name" "passes on Linux, on Limpet: $limpet" ;;
		esac
	done <$results
	check "cases pass on Linux" "$(head -3 $results)" test "$(count '	0	')" -gt 0
	figure "{\"cases\": $(wc -l <names), \"linux\": $(count '	0	'), \"limpet\": $(count '	0	0$'), \"hang\": $(count 'hang$'), \"hang_and_fail_on_linux\": $both_fail}"
}
