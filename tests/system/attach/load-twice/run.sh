#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

tracing=/sys/kernel/tracing
rounds=$(rounds 50 500)

must mount -t tracefs tracefs $tracing
attach
must sh -c "echo 'p:made limpet:region_fill' >$tracing/kprobe_events"
must sh -c "echo 1 >$tracing/events/kprobes/made/enable"
holds "one of two requests is refused" ./twice /limpet/images/loop.limpet 1
memory_mark
holds "one of two requests is refused, $rounds times" ./twice /limpet/images/loop.limpet "$rounds"
made=$(awk '$1 == "made" { print $2 }' $tracing/kprobe_profile)
# Each round makes one system. It makes a second one only if both requests have passed the first check. The first call
# has made one or two.
check "the second check has refused requests, too" "$made systems in $rounds rounds" [ "$made" -gt $((rounds + 2)) ]
memory_kept "$rounds"
must sh -c "echo 0 >$tracing/events/kprobes/made/enable"
must sh -c "echo >$tracing/kprobe_events"
check "nothing is loaded" "$(limpet ps 2>&1)" nothing_loaded
start loop
must limpet stop
linux_is_well
holds "detach" limpet detach
finish
