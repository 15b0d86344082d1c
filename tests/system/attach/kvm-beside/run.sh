#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/machine.sh

# in_thread: succeeds if this Linux's KVM reads the entry points in a thread, where Limpet's are never loaded
in_thread() {
	case $LIMPET_KERNEL in 6.12*) true ;; *) false ;; esac
}
kvm=$(grep '/kvm\.ko' /limpet/modules)
kvm_intel=$(grep '/kvm-intel\.ko' /limpet/modules)

# machine_start CREATE-CPU RUN-CPU
machine_start() {
	rm -f /tmp/machine
	./machine "$1" "$2" >/tmp/words &
	machine=$!
}
machine_stop() {
	kill $machine
	wait $machine
	equal "$1" "0 " "$? $(cat /tmp/words)"
}
# calls_continue NAME: checks that other processes make system calls on the CPU of the virtual processor
calls_continue() {
	holds "$1" taskset 1 sh -c 'true; uname >/dev/null'
}

# calls_entries: prints the system call MSRs of each CPU, without the IDT, because KVM changes its limit
calls_entries() {
	entry_points | sed 's/ idt .*//'
}

dmesg -c >/dev/null # drops Linux's messages about this processor at boot
must insmod /limpet/probe.ko
before=$(calls_entries)

# The first virtual machine is created while a host thread of the system runs on CPU 0.
attach
start hog
machine_start 1 0
machine_continues "a virtual machine runs with a system"
continues "the system continues with a virtual machine"
holds "stop" limpet stop
holds "detach" limpet detach
machine_continues "the virtual machine continues after detach"
calls_continue "other processes make system calls on its CPU"
machine_stop "the virtual machine has lost no system call"
equal "Linux's entry points" "$before" "$(calls_entries)"

# A system is started while a virtual machine runs.
machine_start 0 0
machine_continues "a virtual machine without Limpet"
holds "attach while a virtual machine runs" within 20 limpet attach
start hog
machine_continues "the virtual machine continues with a later system"
holds "stop the second" limpet stop
machine_stop "the second virtual machine has lost no system call"
holds "kvm_intel can be unloaded" within 10 rmmod kvm_intel

# KVM is loaded while a system without executives runs.
holds "kvm can be unloaded" rmmod kvm
start hog
holds "kvm can be loaded while a system runs" insmod "$kvm"
holds "kvm_intel can be loaded while a system runs" insmod "$kvm_intel"
machine_start 1 0
machine_continues "a virtual machine of the new KVM runs"
machine_stop "the third virtual machine has lost no system call"
continues "the system continues after KVM was loaded"
holds "kvm_intel can be unloaded while the system runs" within 10 rmmod kvm_intel
holds "kvm_intel can be loaded again" insmod "$kvm_intel"
holds "stop the third" limpet stop

# The first virtual machine is created while a guest is on CPU 0, where Limpet's entry points are loaded.
start guest-count
limpet guest run sh -c 'while :; do kill -0 $$; done' &
guest=$!
check "a guest runs" "$(limpet guest ps)" within 20 eval 'limpet guest ps | grep -q count'
machine_start 1 0
machine_continues "a virtual machine runs with a guest"
if ! in_thread; then
	refused "unloading kvm_intel while there can be guests" 'in use|busy|temporarily unavailable' rmmod kvm_intel
fi
holds "stop the system of the guest" limpet stop
wait $guest
machine_continues "the virtual machine continues after the guest"
calls_continue "other processes make system calls on the guest's CPU"
machine_stop "the fourth virtual machine has lost no system call"
equal "Linux's entry points after the guest" "$before" "$(calls_entries)"

# KVM is loaded while there can be guests.
if ! in_thread; then
	holds "kvm_intel can be unloaded after the guest" within 10 rmmod kvm_intel
	holds "kvm can be unloaded after the guest" rmmod kvm
	start guest-count
	holds "kvm can be loaded while there can be guests" insmod "$kvm"
	refused "loading kvm_intel while there can be guests" "can't insert" insmod "$kvm_intel"
	check "the reason is in the kernel's log" "$(dmesg | tail -3)" sh -c \
		'dmesg | grep -q "limpet: KVM does not load: a system with executives runs, or Limpet is attached beneath"'
	holds "stop the fifth" limpet stop
	holds "kvm_intel can be loaded after the system has stopped" within 10 insmod "$kvm_intel"

	# KVM is loaded, but cannot be used.
	mv /dev/kvm /dev/away
	refused "a system with executives, if KVM creates no virtual machine" \
		'/dev/kvm creates no virtual machine \(-ENOENT\).*modprobe -r kvm_intel kvm' limpet run $images/guest-count.limpet
	mknod /dev/kvm c 1 3
	refused "a system with executives, if /dev/kvm is another device" '/dev/kvm creates no virtual machine \(-ENODEV\)' \
		limpet run $images/guest-count.limpet
	start hog
	holds "a system without executives runs nevertheless" limpet stop
	mv /dev/away /dev/kvm
	start guest-count
	holds "stop the sixth" limpet stop
fi
holds "detach at the end" limpet detach
equal "Linux's entry points at the end" "$before" "$(calls_entries)"
linux_is_well
finish
