#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite scale: measures growth with the number of threads and components.
. /limpet/bench/common.sh

# one CASE-N UNIT VALUE: sends a figure with a single value
one() {
	echo "{\"figure\": {\"suite\": \"scale\", \"case\": \"$1\", \"subject\": \"limpet\", \"unit\": \"$2\", \"n\": 1, \
\"min\": $3, \"median\": $3, \"p99\": $3, \"max\": $3, \"mean\": $3, \"stddev\": 0}}" | send
}

# counts KIND: prints the numbers N of the images scale-KIND-N, in ascending order
counts() {
	for image in /limpet/images/scale-"$1"-*.limpet; do
		count=${image##*-}
		echo "${count%.limpet}"
	done | sort -n
}

# used: prints the bytes of memory that the system's kernel objects and components use
used() {
	limpet stat --json | tr ',' '\n' | awk -F: '
		/"frames"/ { all = $2 + 0 }
		/"frames_free"/ { free = $2 + 0 }
		END { print (all - free) * 4096 }'
}

# there: waits until the last thread of the system has run
there() {
	await 60 1 'scale: done'
}

attach
say "sleeping threads"
system_start scale-sleep --linux-share 500
await 600 1 'scale: done'
marked | grep 'wrong: ' && exit 1
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
must limpet stop

for count in $(counts memory); do
	say "memory of $count components and threads"
	system_start "scale-memory-$count"
	there
	now=$(used)
	must limpet stop
	if [ "$count" = 0 ]; then
		base=$now
	else
		one "memory-$count" bytes $(((now - base) / count))
	fi
done

for count in $(counts start); do
	say "start and stop of $count components with two threads each"
	began=$(ticks)
	system_start "scale-start-$count"
	until marked | grep -q 'scale: done'; do :; done
	one "start-$count" ticks $(($(ticks) - began))
	began=$(ticks)
	must limpet stop
	one "stop-$count" ticks $(($(ticks) - began))
done
must limpet detach >/dev/null
