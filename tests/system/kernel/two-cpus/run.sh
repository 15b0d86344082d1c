#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# exchanged NAME: checks that all rounds of `bounce` completed, with one answer to each event
exchanged() {
	check "$1: no event is lost" "$(since_mark | tail -n 3)" within 60 logged 1 '^bounce: done'
	figures="$figures, \"$1\": $(since_mark | sed -n 's/.*"cross-cpu".*"n": \([0-9]*\).*"median": \([0-9]*\).*/[\1, \2]/p')"
}

# both_loops NAME: checks that the loop of each side sends two more reports
both_loops() {
	mark
	check "$1: the loop of the first side continues" "$(tail -n 3 $log)" within 60 logged 2 '^loop: .*"timer"'
	check "$1: and that of the second" "$(tail -n 3 $log)" within 60 logged 2 '^loop-1: .*"timer"'
}

figures=
must limpet attach
start two-cpus
exchanged idle
check "each side has its components" "$(limpet ps)" \
	[ "$(limpet ps | awk '/THREAD OF/ { exit } $1 == 0 || $1 == 1 { n[$1]++ } END { print (n[0] == n[1]) }')" = 1 ]
holds "stop" limpet stop

for cpus in 0,1 1,0; do
	start "$PWD/sides.limpet" --cpus $cpus
	exchanged "busy-$cpus"
	both_loops "$cpus"
	time=$(part 2 30)
	holds "$cpus: stress-ng" stress-ng --quiet --cpu 2 --vm 1 --vm-bytes 32M --fork 2 --timeout "$time"
	both_loops "$cpus, after load"
	equal "$cpus: no component of either faulted" "0 0" \
		"$(limpet stat | awk '/faults of components/ { printf $1 " " }' | sed 's/ $//')"
	holds "$cpus: stop" limpet stop
done

refused "two sides on one CPU" 'made for 2 CPUs' limpet run "$images/two-cpus.limpet" --cpus 0
refused "both sides on the same CPU" 'named twice' limpet run "$images/two-cpus.limpet" --cpus 1,1
refused "a CPU that is not there" 'not online' limpet run "$images/two-cpus.limpet" --cpus 0,7
start ping --cpus 1
check "one side on the second CPU" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "detach" limpet detach --stop
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"two-cpus\"$figures}"
finish
