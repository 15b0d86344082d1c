#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table2: the cost of notifying a Linux process, and of being notified by one.
. /limpet/bench/common.sh

say "Linux alone: one way between two processes"
measure ferry pipe
measure ferry eventfd
for peer in pipe eventfd; do
	say "Linux alone: round trips between two processes by $peer"
	must peers 2000 0 $peer >/tmp/measured
	sed 's/"table1", "case": "rpc"/"table2", "case": "call"/' /tmp/measured | send
done

attach
say "one way between a process and a component"
system_start ferry
sleep 1
measure ferry channel
measure ferry node
say "what each side does for a message when neither waits"
measure ferry polled
must limpet stop
say "a process calls a component's function"
system_start call
sleep 1
measure call 2000 0
must limpet stop
must limpet detach >/dev/null
