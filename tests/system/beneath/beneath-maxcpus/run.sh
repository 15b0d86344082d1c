#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/offline.sh

equal "Linux's processors" 1 "$(nproc)"
attach
hidden_kept "attached"
start control --cpus 1
continues "a loop runs on CPU 1"
hidden_kept "a system runs"
holds "stop" limpet stop
holds "detach" limpet detach
given_back "detached"
linux_is_well
finish
