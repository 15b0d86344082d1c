#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

last=$((LIMPET_CPUS - 1))

busy() {
	start busy --linux-share 300
	continues "$1: runs"
}

nmis=$(part 20 1000)

# perf_on RUN WHAT...: checks that samples of the host process have only symbols of the command
perf_on() {
	run=$1
	shift
	for time in 1 4 16; do # a slow machine has few samples in 1 s
		holds "$run: perf record" perf record -q -e cpu-clock -F 499 -o /tmp/perf.data "$@" -- sleep $time
		perf script -i /tmp/perf.data -F comm,ip,sym -G 2>/dev/null | grep limpet-host >/tmp/samples
		seen=$(grep -cE 'host_(run|interrupted)' /tmp/samples)
		[ "$seen" -lt 50 ] || break
	done
	check "$run: perf sees the host thread in its system call" "$seen of $(wc -l </tmp/samples) samples" \
		[ "$seen" -ge 50 ]
	equal "$run: and no address of a component" "" \
		"$(awk '$2 !~ /^ffff/ && (NF < 3 || /unknown/)' /tmp/samples | sort -u | head -n 3)"
	figures="$figures, \"$run\": $seen"
	continues "$run: continues"
}

figures=
attach
busy NMI
nmi_each "$nmis"
continues "continues after $nmis NMIs"

perf_on "host thread" -t "$(ls /proc/"$host_pid"/task | tail -n 1)"
perf_on "call chains of all CPUs" -a -g
holds "perf stat" perf stat -e context-switches,cpu-migrations,page-faults,cpu-clock -p "$host_pid" sleep 0.5
continues "perf stat: continues"

holds "a more important thread preempts" ./preempt "$(part 100 2000)" 0 95
continues "preempted: continues"

before=$(interrupts TLB)
holds "another process changes its address space" ./storm "$(part 3 30)" "$LIMPET_CPUS"
if [ "$LIMPET_CPUS" -gt 1 ]; then
	changes=$said
	for try in $(seq 9); do		# a slow machine gets few in 3 s
		! rose TLB 20 || break
		holds "and again" ./storm 3 "$LIMPET_CPUS"
	done
	check "shoot-downs came to the CPU of components" "$(($(interrupts TLB) - before)) of $changes and more" rose TLB 20
fi
continues "shoot-downs: continues"

before=$(interrupts LOC)
within 20 rose LOC 100 # a slow machine may get fewer in a second
check "Linux's tick continues" "$(($(interrupts LOC) - before))" rose LOC 100
equal "no component faulted" 0 "$(stat_of 'faults of components')"
holds "stop" limpet stop

holds "the host thread's memory is remapped" ./own $images/busy.limpet remap "$(part 150 4000)"
holds "timers send signals to the host thread" ./own $images/busy.limpet timer "$(part 500 20000)"
holds "CPU time is accounted as guest time" ./own $images/busy.limpet account "$(part 700 10000)"
check "no system is left" "$(limpet ps | head -1)" within 20 nothing_loaded

busy "in the end"
holds "detach" limpet detach --stop
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"linux-goes-on\", \"nmis\": $nmis$figures}"
finish
