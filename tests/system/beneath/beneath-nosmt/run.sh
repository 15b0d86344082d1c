#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/offline.sh

control=/sys/devices/system/cpu/smt/control

equal "Linux keeps second threads offline" off "$(cat $control)"
equal "Linux's processors" 1 "$(nproc)"
refused "attach" "The module refused: .*CPU 1 is offline.*echo on >$control" limpet attach --beneath
equal "CPU 1 is still offline after the refusal" 0 "$(cat $cpu1)"
holds "second threads go online" sh -c "echo on >$control"
attach
holds "second threads go offline" sh -c "echo off >$control"
hidden_kept "attached"
start control
continues "a loop runs"
holds "stop" limpet stop
holds "detach" limpet detach
equal "CPU 1 is offline as before" 0 "$(cat $cpu1)"
holds "second threads go online again" sh -c "echo on >$control"
works "detached"
holds "second threads are forced offline" sh -c "echo forceoff >$control"
refused "attach while second threads are forced offline" \
	'The module refused: .*CPU 1 is offline.*Boot without nosmt=force' limpet attach --beneath
equal "the module is not loaded" "" "$(grep '^limpet ' /proc/modules)"
linux_is_well
finish
