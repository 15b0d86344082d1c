#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/machine.sh

# calls_continue NAME: checks that other processes make system calls on the CPU of the virtual processor
calls_continue() {
	holds "$1" sh -c 'true; uname >/dev/null; cat /proc/self/stat >/dev/null'
}
# guest_start [OPTION...]: starts a virtual machine in a guest. Its executive gets RESULT of each KVM_RUN
guest_start() {
	rm -f /tmp/machine
	limpet guest run "$@" /limpet/machine 0 0 >/tmp/words 2>&1 &
	guest=$!
	machine_continues "a virtual machine runs in a guest $*"
	check "it is a guest $*" "$(limpet guest ps)" machine_is_guest
	calls_continue "other processes make system calls on its CPU $*"
}
# guest_stop NAME
guest_stop() {
	kill $(pidof machine)
	wait $guest
	equal "$1" "0 " "$? $(cat /tmp/words)"
}

# calls_entries: prints the system call MSRs of each CPU, without the IDT, because KVM changes its limit
calls_entries() {
	entry_points | sed 's/ idt .*//'
}

dmesg -c >/dev/null # drops Linux's messages about this processor at boot
must insmod /limpet/probe.ko
before=$(calls_entries)
attach

start guest-count
guest_start
guest_stop "the virtual machine has lost no system call"

guest_start
holds "release" limpet guest release $(pidof machine)
check "it is released" "$(limpet guest ps)" within 10 machine_is_released
machine_continues "the virtual machine continues without its executive"
guest_stop "the released virtual machine has lost no system call"
holds "stop the system of the released virtual machine" limpet stop
equal "Linux's entry points after the system" "$before" "$(calls_entries)"

start guest-count
guest_start --open
holds "stop" limpet stop
machine_continues "the virtual machine continues without its system"
guest_stop "the virtual machine without its system has lost no system call"

holds "detach" limpet detach
equal "Linux's entry points at the end" "$before" "$(calls_entries)"
linux_is_well
finish
