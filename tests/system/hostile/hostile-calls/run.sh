#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

lab_start calls
lab_verdicts $(rounds 120 800)
lab_verdicts 60 plain
lab_others
# The hostile component's own threads have no stacks in pong, so they fault there without other effects.
equal "only the hostile component faults" "" \
	"$(limpet ps | awk '/THREAD OF/ { exit } $1 == 0 && $2 < 50 && $3 != "pong" && $6 > 0' | head -n 3)"
holds "stop" limpet stop
holds "detach" limpet detach

# A component with the CPU's capability may end its system, or reprogram the scheduler's timer, but must not harm Linux.
attach
prover=lab
if said=$(limpet run calls-cpu.limpet 2>&1); then within 15 lab_ended; fi
check "Linux continues, whatever became of that system" "$said" sh -c 'sleep 0.2; true'
limpet stop
holds "detach at the end" limpet detach
equal "no complaint of Linux at the end" "" "$(splats)"
finish
