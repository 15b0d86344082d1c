#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

start_probe guest-probe
for mode in 0 1 2; do
	run_guest "births, mode $mode" ./births $mode
done
run_guest "kills, served" ./kills 0 "$(rounds 150 2000)"
run_guest "kills, passed with result" ./kills 2 "$(rounds 150 2000)"
within 10 guests 0
judged "counters after kills" ./kills counters
judged "alone" limpet guest run --executive probe --alone ./alone
judged "attach and release" ./attach "$(rounds 200 10000)"
judged "filters and releases while threads are made" ./chain "$(rounds 20 500)"
run_guest "many" ./many "$(rounds 300 1000)"

holds "hunger.ko" insmod /limpet/hunger.ko function=limpet:guest_memory name=memory
run_guest "no memory for records" ./memory
judged "no memory for records, open" limpet guest run --executive probe --open -- ./memory open
holds "hunger.ko is removed" rmmod hunger

# The OOM killer logs a call trace, so Linux's log is checked before and then cleared.
linux_is_well
run_guest "the OOM killer" ./oom
check "the OOM killer has killed the guest" "$(dmesg | tail -n 3)" sh -c 'dmesg | grep -q "Memory cgroup out of memory: Killed process"'
equal "Linux reports no other error" "" "$(dmesg | grep -E 'BUG|WARNING|Oops' | head -n 3)"
dmesg -c >/dev/null

# cpus PID: prints the CPUs that a process may use
cpus() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}
has_cpus() {
	[ "$(cpus $loop)" = "$1" ]
}
is_attached() {
	limpet guest ps 2>/dev/null | grep -q "^ *$1 "
}
is_released() {
	! is_attached "$1"
}
sh -c 'while :; do usleep 1000; done' &
loop=$!
before=$(cpus $loop)
limpet guest attach --executive probe $loop
within 20 is_attached $loop || fail "attach" "$(limpet guest ps)"
within 20 has_cpus 0
equal "a guest is on the CPU of its executive" 0 "$(cpus $loop)"
limpet guest release $loop
within 20 is_released $loop || fail "release" "$(limpet guest ps)"
within 20 has_cpus "$before"
equal "a process that was released may use the CPUs that it had" "$before" "$(cpus $loop)"
kill $loop

# A thread is either a host thread or a guest.
host_thread=$(ls /proc/"$host_pid"/task | tail -n 1)
holds "a host process is attached" limpet guest attach --executive probe "$host_pid"
check "its system continues" "$(limpet guest ps)" probe_ready
equal "its host thread does not become a guest" "" "$(limpet guest ps | awk -v tid="$host_thread" '$2 == tid')"
holds "it is released" limpet guest release "$host_pid"
refused "a guest cannot become a host thread" 'host thread of CPU 0: LIMPET_IOC_ENTER: Resource busy' \
	limpet guest run --executive probe -- limpet run /limpet/images/loop.limpet
check "its system is not left" "$(limpet ps)" within 10 eval '! limpet ps 2>&1 | grep -q "^loop:"'

# Runs the tests repeatedly, and checks that no memory remains in use.
memory_mark
for round in $(seq "$(rounds 2 20)"); do
	limpet guest run --executive probe ./births 1 >/dev/null 2>&1 || fail "round $round" "status $?"
	limpet guest run --executive probe ./kills 0 100 >/dev/null 2>&1 || fail "kills of round $round" "status $?"
	./attach 100 >/dev/null 2>&1 || fail "attach of round $round" "status $?"
	limpet guest run --executive probe ./many 200 >/dev/null 2>&1 || fail "many of round $round" "status $?"
done
within 10 guests 0
memory_kept 20
figure "{\"suite\": \"system\", \"case\": \"guest-lives\", $memory_drift}"
end_probe

# The executive computes for 20 ms at BEGIN. Linux's share lets guests end before their handler threads.
start_probe "$PWD/slow-begin.limpet" --linux-share 900
run_guest "killed at BEGIN" ./early 40
end_probe

start_probe "$PWD/one-handler.limpet"
run_guest "one handler thread" ./handler
run_guest "many guests, one handler thread" ./many 200
end_probe
finish
