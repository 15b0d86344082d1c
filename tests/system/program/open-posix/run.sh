#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# In a counted guest these seconds pass without waiting, unless a case computes.
limit=15
results=/tmp/results

# count WORDS: counts the lines of the results that match
count() {
	grep -cE -- "$1" $results
}

mkdir -p /dev/mqueue
mount -t mqueue none /dev/mqueue
attach
: >$results
tail -f $results &
shown=$!
holds "all cases have run" sh -c "./suite . $limit <names >$results"
equal "each case has an outcome" "$(wc -l <names)" "$(wc -l <$results)"
kill $shown

# Fields: name, outcome on Linux, outcome on Limpet. 0 is a case that passed.
passed='	0	'
both='	0	0$'
while IFS='	' read -r name linux limpet; do
	reason=$(sed -n "s#^$name  *##p" differences)
	case $linux:$limpet:$reason in
	0:0:) ;;
	0:0:*) fail "$name" "it passes, and is in differences: remove it there" ;;
	0:hang:hang:*) ;;
	0:hang:*) fail "$name" "hangs on Limpet" ;;
	0:*:) fail "$name" "passes on Linux, on Limpet: $limpet" ;;
	esac
done <$results
check "cases pass on Linux" "$(head -3 $results)" test "$(count "$passed")" -gt 0
figure "{\"cases\": $(wc -l <names), \"linux\": $(count "$passed"), \"limpet\": $(count "$both"), \"hang\": $(count 'hang$')}"
holds "detach" limpet detach
linux_is_well
finish
