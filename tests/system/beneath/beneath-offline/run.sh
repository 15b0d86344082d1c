#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/offline.sh

holds "CPU 1 goes offline" sh -c "echo 0 >$cpu1"
attach
hidden_kept "attached"
holds "CPU 1 comes online beneath" sh -c "echo 1 >$cpu1"
start control --cpus 1
holds "CPU 1 goes offline again" sh -c "echo 0 >$cpu1"
continues "a loop runs on the offline CPU 1"
hidden_kept "a system runs"
continues "the loop continues after the NMI"
holds "stop" limpet stop
holds "detach" limpet detach
given_back "detached"
holds "detached: CPU 1 goes offline again" sh -c "echo 0 >$cpu1"
attach
holds "attached again: CPU 1 comes online" sh -c "echo 1 >$cpu1"
holds "detach with all CPUs online" limpet detach
linux_is_well
finish
