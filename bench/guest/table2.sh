#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table2: what it takes to tell a Linux process something, and to be told by one.
. /limpet/bench/common.sh

say "Linux alone: one way between two processes"
measure ferry pipe
measure ferry eventfd

attach
say "one way between a process and a component"
system_start ferry
sleep 1
measure ferry channel
measure ferry node
say "what each side does for a message when neither waits"
measure ferry polled
must limpet stop
must limpet detach >/dev/null
