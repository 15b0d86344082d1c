#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/offline.sh

control=/sys/devices/system/cpu/smt/control

equal "Linux keeps second threads offline" off "$(cat $control)"
equal "Linux's processors" 1 "$(nproc)"
refused "attach" "refused by the module: .*CPU 1 is offline.*echo on >$control" limpet attach --beneath
equal "CPU 1 is offline after that" 0 "$(cat $cpu1)"
holds "Linux takes second threads" sh -c "echo on >$control"
attach
holds "Linux lets second threads go" sh -c "echo off >$control"
hidden_kept "attached"
start control
goes_on "a loop runs"
holds "stop" limpet stop
holds "detach" limpet detach
holds "Linux takes second threads again" sh -c "echo on >$control"
given_back "detached"
holds "Linux keeps second threads offline for ever" sh -c "echo forceoff >$control"
refused "attach then" 'refused by the module: .*CPU 1 is offline.*boot without nosmt=force' limpet attach --beneath
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"
linux_is_well
finish
