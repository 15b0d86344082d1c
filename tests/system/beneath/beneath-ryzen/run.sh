#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

dmesg -c >/dev/null # drops Linux's messages about this processor at boot
attach
check "Linux is a guest" "$(dmesg | tail -n 3)" sh -c 'dmesg | grep -q "limpet: beneath .* MiB hidden"'
start busy --linux-share 300
continues "a system runs, and its invocations are right"
equal "no component faulted" 0 "$(stat_of 'faults of components')"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
equal "no program of Linux crashed" "" "$(dmesg | grep -E -A 1 'segfault|traps:|general protection' | head -n 6)"
finish
