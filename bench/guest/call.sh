#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table2, second boot: requests and answers between a Linux process and a component, and between two.
. /limpet/bench/common.sh

for peer in pipe eventfd; do
	say "Linux alone: round trips by $peer"
	must peers 2000 0 $peer >/tmp/measured
	sed 's/"table1", "case": "rpc"/"table2", "case": "call"/' /tmp/measured | send
done

attach
say "a system runs: calls of a component"
system_start call
sleep 1
measure call 2000 0
must limpet stop
must limpet detach >/dev/null
