#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite trace: what it costs that kernels record what they do, and that they could.
. /limpet/bench/common.sh

attach
say "nobody traces"
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
# Unless it has seen the invocations this is no figure of the kind.
must [ "$(sed -n 's/ events in.*//p' /tmp/traced)" -gt 2000 ]
must limpet stop
