#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# runs SYSTEM [COUNT]: runs a system until COUNT components, by default 2, take part in a stop, and some periods longer
runs() {
	start "$PWD/$1.limpet"
	check "$1: the components take part" "$(since_mark | tail -n 3)" within 20 logged ${2:-2} 'takes part in a stop$'
	usleep 20000
}

# finished: prints the components that have finished, in order
finished() {
	echo $(since_mark | sed -n 's/^\(.*\): \(the actuator is parked\|its wait has ended\|its slow work has ended\)$/\1/p')
}

# uptime_ms: prints the milliseconds since boot
uptime_ms() {
	sed 's/\.\([0-9][0-9]\) .*/\10/' /proc/uptime
}

attach
runs finishes
equal "no component has finished before the stop" "" "$(finished)"
holds "stop" limpet stop
equal "stop: only one line was printed" "stopped finishes" "$said"
equal "stop: both have finished, the last one of the system file first" "parks waits" "$(finished)"
check "stop: no system runs" "$(limpet ps 2>&1)" nothing_loaded

runs finishes
kill -TERM "$host_pid"
check "SIGTERM to the host process: no system runs" "$(limpet ps 2>&1)" within 20 nothing_loaded
equal "SIGTERM: both have finished" "parks waits" "$(finished)"

runs finishes
holds "stop --grace 0" limpet stop --grace 0
equal "no time: no component has finished" "" "$(finished)"

runs ignores
before=$(uptime_ms)
holds "stop --grace 1" limpet stop --grace 1
took=$(($(uptime_ms) - before))
check "the line for the component that ignores the request" "$said" \
	eval 'echo "$said" | grep -q "Component .ignores. has not finished within 1 s"'
check "it was asked" "$(since_mark | tail -n 3)" logged 1 '^ignores: ignores the request$'
equal "the other one has finished" parks "$(finished)"
check "the stop has waited for the grace time" "$took ms" [ "$took" -ge 1000 ]
check "then the system was stopped" "$(limpet ps 2>&1)" nothing_loaded

# The component that ignores the request gets it first. The slow one gets it after a share of 2 s. The last one gets it
# 2 s later, and finishes before the slow one.
runs shares 3
holds "stop --grace 6" limpet stop --grace 6
equal "shares: the others have finished, the slow one after its share" "parks slow" "$(finished)"
equal "shares: one line reports the component that has not" 1 "$(echo "$said" | grep -c 'has not finished within')"
check "shares: the line names the component" "$said" \
	eval 'echo "$said" | grep -q "Component .ignores. has not finished within 6 s"'

runs shares 3
kill -TERM "$host_pid"
check "shares: SIGTERM to the host process: no system runs" "$(limpet ps 2>&1)" within 20 nothing_loaded
check "shares: SIGTERM: the last one has finished" "$(finished)" eval 'finished | grep -q parks'
holds "detach" limpet detach
linux_is_well
finish
