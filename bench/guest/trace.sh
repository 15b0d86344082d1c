#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite trace: the cost of recording events, and of being able to record them.
. /limpet/bench/common.sh

attach
say "the trace is off"
system_start trace --linux-share 500
measured off
must limpet stop

say "everything but kernel calls is traced"
system_start trace --linux-share 500
limpet trace --seconds 0 -o /tmp/trace >/tmp/traced 2>&1 &
tracer=$!
measured on
kill -INT $tracer
wait $tracer
# The figure is valid only if the trace has recorded the invocations.
must [ "$(sed -n 's/ events in.*//p' /tmp/traced)" -gt 2000 ]
must limpet stop
