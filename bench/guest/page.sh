#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest's part of `make run` for a system with a page: the guest's network card and the system's device share one
# network. page.py knows the address, and connects from outside.
. /limpet/verdict.sh
. /limpet/network.sh
. /limpet/bench/page
. /limpet/bench/steps.sh

network_plain
say "attaching Limpet $mode the running kernel"
attach
say "starting the system"
must limpet run "/limpet/images/$image.limpet" >/dev/null
must network_bridge "$address" eth0 "$device"
say "waiting for the page"
for try in $(seq 30); do
	load limpet "$host" "$port" / 1 close >/tmp/page 2>/tmp/error && break
	sleep 0.5
done
[ -s /tmp/page ] || {
	say "no answer at $host:$port"
	cat /tmp/error
	limpet log | tail -20
	exit 1
}
echo "{\"page\": \"$host:$port\"}" >/dev/verdict
say "done"
# The process outside ends the run, unless a shell follows.
[ -n "$stay" ] || read -r over
limpet ps
