#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

start_probe guest-probe
judged "not a guest" ./restarts plain
run_guest "delivery" ./delivery "$(rounds 100 2000)"
run_guest "restarts, passed" ./restarts 1
run_guest "restarts, results" ./restarts 2
for kind in files locks waits times sockets ipc; do
	judged "restarts of $kind, not a guest" ./restarts_$kind plain
	run_guest "restarts of $kind, passed" ./restarts_$kind 1
	run_guest "restarts of $kind, results" ./restarts_$kind 2
done
judged "not a guest" ./steps 0
run_guest "steps, passed" ./steps 1
run_guest "steps, results" ./steps 2
run_guest "rseq and stacks" ./sequences
run_guest "an executive that waits" ./stops 5
# An executive that never answers loses a handler thread with each call, so each part gets a system of its own.
for part in stop trace freeze term kill commit; do
	holds "the system stops before $part" limpet stop
	start guest-probe
	within 10 probe_ready
	run_guest "an executive that never answers" ./stops 9 $part
done
end_probe
finish
