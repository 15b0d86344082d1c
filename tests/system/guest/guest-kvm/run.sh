#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/machine.sh

# guest_start CALLS [OPTION...]: starts a virtual machine in a guest. With -1 calls in a round it remains in KVM_RUN
guest_start() {
	rm -f /tmp/machine
	calls=$1
	shift
	limpet guest run "$@" /limpet/machine 0 0 "$calls" >/tmp/words 2>&1 &
	guest=$!
	[ "$calls" = -1 ] || machine_continues "a virtual machine runs in a guest $*"
	check "it is a guest $*" "$(limpet guest ps)" within 10 machine_is_guest
	[ "$calls" != -1 ] || sleep 0.5
}
# calls_continue NAME: checks that other processes make system calls on the CPU of the virtual processor
calls_continue() {
	holds "$1" taskset 1 sh -c 'true; uname >/dev/null; cat /proc/self/stat >/dev/null'
}

# calls_entries: prints the system call MSRs and the IDT of each CPU. EFER is KVM's
calls_entries() {
	entry_points | sed 's/ efer [0-9a-f]*//'
}

# The commands run on the other CPU, if there is one, so that they do not interrupt the virtual machine on CPU 0.
[ "$LIMPET_CPUS" = 1 ] || must taskset -p 2 $$
must insmod /limpet/probe.ko
before=$(calls_entries)
attach

start guest-count
guest_start 1000
calls_continue "other processes make system calls on its CPU"
kill $(pidof machine)
wait $guest
equal "the virtual machine lost no system call" "0 " "$? $(cat /tmp/words)"
equal "Linux's entry points after the guest" "$before" "$(calls_entries)"

# Release the guest.
for calls in 1000 -1; do
	guest_start $calls
	holds "release, $calls calls" limpet guest release $(pidof machine)
	check "it is released, $calls calls" "$(limpet guest ps)" within 10 machine_is_released
	equal "Linux's entry points after the release, $calls calls" "$before" "$(calls_entries)"
	[ $calls = -1 ] || machine_continues "the virtual machine continues without its executive"
	kill $(pidof machine)
	wait $guest
	equal "the released virtual machine lost no system call, $calls calls" "0 " "$? $(cat /tmp/words)"
	equal "Linux's entry points after its end, $calls calls" "$before" "$(calls_entries)"
done

# Stop the system under the virtual machine. Its guests end or are released.
for options in "" --open; do
	for calls in 1000 -1; do
		guest_start $calls $options
		holds "stop $options, $calls calls" limpet stop
		equal "Linux's entry points after the system $options, $calls calls" "$before" "$(calls_entries)"
		calls_continue "other processes make system calls $options, $calls calls"
		[ -z "$options" ] || kill $(pidof machine)
		wait $guest
		equal "Linux's entry points after the guest $options, $calls calls" "$before" "$(calls_entries)"
		start guest-count
	done
done

# A virtual machine that is not a guest leaves an MSR in the processor when Linux switches from it to a guest.
/limpet/machine 0 0 -1 >/tmp/words 2>&1 &
machine=$!
sleep 0.5
mkfifo /tmp/bytes
for i in $(seq 300); do
	usleep 2000
	echo
done >/tmp/bytes &
equal "a guest that sleeps while a virtual machine runs loses no call" 300 \
	"$(timeout 60 limpet guest run dd bs=1 if=/tmp/bytes 2>/tmp/records | wc -c)"
check "each of its calls had its own result" "$(cat /tmp/records)" grep -q '^300+0 records out' /tmp/records
kill $machine
wait $machine
equal "the virtual machine next to the guest lost no system call" "0 " "$? $(cat /tmp/words)"
holds "stop the last" limpet stop
holds "detach" limpet detach
equal "Linux's entry points at the end" "$before" "$(calls_entries)"
calls_continue "other processes make system calls after detach"
linux_is_well
finish
