#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

nmis=$(part 30 1000)

# A system that does not fit is refused, and changes nothing.
must limpet attach --beneath --memory 4
refused "a system that does not fit" 'memory that is hidden' limpet run $images/control.limpet
check "nothing is loaded" "$(limpet ps | head -n 1)" nothing_loaded
must limpet detach
for words in "--beneath --memory 1" "--beneath --memory 4097" "--memory 64"; do
	check "attach $words is refused" "it was not" sh -c "! limpet attach $words 2>/dev/null"
done

# A file that is not a kernel, and a Linux that cannot be restarted.
refused "a file that is no kernel" 'not a Linux kernel' \
	limpet attach --beneath --kernel /bin/busybox --initrd /bin/busybox
check "nothing is attached" "$(lsmod)" sh -c '! grep -q ^limpet /proc/modules'

# Attach requests more memory than the machine has. It prints one line, and no memory is lost.
refused "memory that is not there" 'no [0-9]* MiB of contiguous free memory' limpet attach --beneath --memory 4096
attach
start busy --linux-share 300
continues "runs"
refused "a second system" 'loaded already' limpet run $images/ping.limpet
refused "detach" 'system is running' limpet detach
refused "a restart without memory for one" 'no memory for another Linux' limpet reload-linux --force
refused "what died before, when no Linux has" 'No Linux has died' limpet log --previous
nmi_each "$nmis"
continues "continues after $nmis NMIs"
before=$(interrupts LOC)
within 20 rose LOC 20
check "Linux's tick continues" "$(($(interrupts LOC) - before))" rose LOC 20
enforced() {
	[ "$(stat_of "times Linux's share was enforced")" -ge 20 ]
}
check "its share was enforced" "$(stat_of "times Linux's share was enforced")" within 20 enforced
holds "stress-ng" stress-ng --quiet --cpu 1 --vm 1 --vm-bytes 16M --fork 2 --switch 1 --timeout 2
continues "continues under load"
equal "no component faulted" 0 "$(stat_of 'faults of components')"

# The process that started the system only writes its log.
must kill -9 "$host_pid"
invocations=$(stat_of invocations)
more_invocations() {
	[ "$(stat_of invocations)" -gt "$invocations" ]
}
check "it outlives its Linux process" "$invocations invocations, and no more" within 20 more_invocations
check "and limpet ps lists it" "$(limpet ps | head -n 1)" sh -c 'limpet ps | grep -q checker'
holds "stop" limpet stop
holds "stop when nothing runs" limpet stop
equal "stop when nothing runs: message" "No system runs." "$said"

start ping
check "the next system is right" "$(since_mark | tail -n 3)" within 20 logged 1 'ping: done'
holds "detach" limpet detach --stop
linux_is_well
figure "{\"suite\": \"system\", \"case\": \"beneath-run\", \"nmis\": $nmis}"
finish
