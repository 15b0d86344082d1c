#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# loaded SYSTEM COUNT: runs a system, and waits until its modules are loaded and for some more periods
loaded() {
	start "$PWD/$1.limpet"
	check "$1: loaded" "$(since_mark | tail -n 3)" within 20 logged "$2" 'module is loaded$'
	usleep 100000
}

# removed: lists the components whose modules were removed, in order
removed() {
	echo $(since_mark | sed -n 's/^\(.*\): module is removed$/\1/p')
}

# stops WORDS OPTION...: checks that the system stops and prints a line with these words
stops() {
	words=$1
	shift
	holds "stop $*" limpet stop "$@"
	check "stop $*: the reason" "$said" eval 'echo "$said" | grep -qE -- "$words"'
	check "stop $*: no system runs" "$(limpet ps)" nothing_loaded
}

attach
loaded two 2
stops '^stopped two$'
equal "the last module is removed first" "second first" "$(removed)"
equal "tasks run until then" 2 "$(since_mark | grep -c 'the task has counted$')"
equal "only one line was printed" 1 "$(echo "$said" | wc -l)"

loaded two 2
kill -TERM "$host_pid"
check "SIGTERM to the host process" "$(limpet ps)" within 20 nothing_loaded
equal "SIGTERM: both modules are removed" "second first" "$(removed)"

loaded two 2
stops '^stopped two$' --grace 0
equal "no time: no module is removed" "" "$(removed)"

loaded hangs 1
stops "Component 'ends' has not finished within 1 s" --grace 1
loaded hangs 1
# The process gets both signals at the same time. After the first one, the module computes, and Linux has its share only.
kill -STOP "$host_pid"
kill -INT "$host_pid"
kill -TERM "$host_pid"
kill -CONT "$host_pid"
check "two signals: the system is stopped" "$(limpet ps)" within 20 nothing_loaded
equal "two signals: no time" "" "$(since_mark | grep 'has not finished')"

loaded crashes 1
stops "Component 'ends' crashed or was stopped before it finished"
start "$PWD/crashed.limpet"
check "the module crashes" "$(limpet ps)" within 20 eval 'limpet ps | grep -q "its thread is dead"'
stops '^stopped ends$'
equal "a dead module is not asked" 1 "$(echo "$said" | wc -l)"

if [ "$LIMPET_MODE" = beside ]; then
	loaded well 1
	marked_well=$marked
	log=/run/limpet/log@1
	loaded hangs 1
	holds "a second system is stopped" limpet --system 1 stop --grace 1
	check "the reason" "$said" eval 'echo "$said" | grep -q "has not finished within 1 s"'
	log=/run/limpet/log
	marked=$marked_well
	equal "the first one's module is not removed" "" "$(removed)"
	stops '^stopped ends$'
	equal "then it is" ends "$(removed)"
fi
holds "detach" limpet detach
linux_is_well
finish
