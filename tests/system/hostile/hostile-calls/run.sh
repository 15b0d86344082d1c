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

# died: succeeds if the scheduler died while `limpet run` still waited for the start. Such an end loses text of components,
# in beneath mode all of it.
died() {
	[ "$said" != "${said#*The system ended: *its scheduler died}" ]
}
# attacked: succeeds if the component with the CPU has made calls
attacked() {
	grep -q '^lab: ok a late status' $log || died
}

# A component with the CPU's capability may end its system, or reprogram the scheduler's timer, but must not harm Linux.
# The log is removed, because it has the verdicts of the first system.
rm -f $log
attach
prover=lab
said=$(limpet run calls-cpu.limpet 2>&1)
check "the component with the CPU makes calls" "$said $(tail -n 3 $log)" within 10 attacked
died || within 15 lab_ended
check "Linux continues, whatever became of that system" "$said" sh -c 'sleep 0.2; true'
limpet stop
holds "detach at the end" limpet detach
equal "no complaint of Linux at the end" "" "$(splats)"
finish
