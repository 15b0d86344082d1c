#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

start_probe guest-probe
for mode in 0 1 2; do
	run_guest "mode $mode" ./pages $mode 1
done
run_guest "refused" ./refusals
judged "alone" limpet guest run --executive probe --alone ./refusals alone
within 10 guests 0
memory_mark
for round in $(seq "$(rounds 5 50)"); do
	limpet guest run --executive probe ./pages 0 1 >/tmp/again 2>&1 || fail "round $round" "$(tail -n 2 /tmp/again)"
done
within 10 guests 0
memory_kept 10
holds "the system stops" limpet stop
start "$PWD/batch.limpet"
within 10 probe_ready
run_guest "16 pages at once" ./pages 0 16
end_probe
finish
