#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite host: a fixed job of Linux's before attach, attached, beside an idle system, after detach.
. /limpet/bench/common.sh

iterations=30

say "Linux alone"
measure job before $iterations
say "attached"
must limpet attach --module /limpet/limpet.ko >/dev/null
measure job attached $iterations
say "an idle system runs"
system_start ping
await 60 1 'ping: done'
measure job running $iterations
must limpet detach --stop >/dev/null
say "detached"
measure job after $iterations
