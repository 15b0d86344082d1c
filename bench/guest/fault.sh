#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite fault: what a page fault costs a component, and a Linux process.
. /limpet/bench/common.sh

say "Linux alone: minor fault"
measure minor_fault 1000 0

must limpet attach --module /limpet/limpet.ko >/dev/null
say "a system runs: page fault, repaired by its memory manager"
system_start fault
await 60 1 'touch: done'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
must limpet detach --stop >/dev/null
