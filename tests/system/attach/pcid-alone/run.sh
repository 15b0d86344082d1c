#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

holds "the processor has PCID" grep -qw pcid /proc/cpuinfo
equal "and it has no INVPCID" "" "$(grep -ow invpcid /proc/cpuinfo)"
attach
start control
continues "a system runs"
start control
continues "a second one runs on the same CPU"
holds "both stop" limpet stop --all
holds "detach" limpet detach
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|invalid opcode|Call Trace' | head -3)"
finish
