#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# in_thread: KVM of this Linux reads the entry points in a thread, where Limpet's are never loaded
in_thread() {
	case $LIMPET_KERNEL in 6.12*) true ;; *) false ;; esac
}
kvm=$(grep '/kvm\.ko' /limpet/modules)
kvm_intel=$(grep '/kvm-intel\.ko' /limpet/modules)

# machine_rounds: prints the number of rounds of system calls so far
machine_rounds() {
	cat /tmp/machine 2>/dev/null || echo 0
}
past() {
	[ "$(machine_rounds)" -gt "$1" ]
}
# machine_goes_on NAME: the virtual machine runs guest code and returns to Linux
machine_goes_on() {
	if within 30 past $(($(machine_rounds) + 20)); then
		pass "$1"
	else
		fail "$1" "rounds: $(machine_rounds); $(cat /tmp/words)"
	fi
}
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
# calls_go_on NAME: other processes make system calls on the CPU of the virtual processor
calls_go_on() {
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
machine_goes_on "a virtual machine runs with a system"
goes_on "the system continues with a virtual machine"
holds "stop" limpet stop
holds "detach" limpet detach
machine_goes_on "the virtual machine continues after detach"
calls_go_on "other processes make system calls on its CPU"
machine_stop "the virtual machine has lost no system call"
equal "Linux's entry points" "$before" "$(calls_entries)"

# A system is started while a virtual machine runs.
machine_start 0 0
machine_goes_on "a virtual machine without Limpet"
holds "attach while a virtual machine runs" within 20 limpet attach
start hog
machine_goes_on "the virtual machine continues with a later system"
if ! in_thread; then
	refused "unloading kvm_intel while the system runs" 'in use|busy|temporarily unavailable' rmmod kvm_intel
fi
holds "stop the second" limpet stop
machine_stop "the second virtual machine has lost no system call"
holds "kvm_intel can be unloaded" within 10 rmmod kvm_intel

# KVM is loaded while a system runs.
holds "kvm can be unloaded" rmmod kvm
start hog
holds "kvm can be loaded while a system runs" insmod "$kvm"
if in_thread; then
	holds "kvm_intel can be loaded while a system runs" insmod "$kvm_intel"
	machine_start 1 0
	machine_goes_on "a virtual machine of the new KVM runs"
	machine_stop "the third virtual machine has lost no system call"
else
	refused "loading kvm_intel while a system runs" "can't insert" insmod "$kvm_intel"
	check "the reason is in the kernel's log" "$(dmesg | tail -3)" sh -c \
		'dmesg | grep -q "limpet: KVM does not load: a system runs beside, or Limpet is attached beneath"'
fi
goes_on "the system continues after KVM was loaded"
holds "stop the third" limpet stop
in_thread || holds "kvm_intel can be loaded after the system has stopped" within 10 insmod "$kvm_intel"

# KVM is loaded, but cannot be used.
if ! in_thread; then
	mv /dev/kvm /dev/away
	refused "a system, if KVM gives no virtual machine" \
		'/dev/kvm gives no virtual machine \(-ENOENT\).*modprobe -r kvm_intel kvm' limpet run $images/hog.limpet
	mknod /dev/kvm c 1 3
	refused "a system, if /dev/kvm is another device" '/dev/kvm gives no virtual machine \(-ENODEV\)' \
		limpet run $images/hog.limpet
	mv /dev/away /dev/kvm
	start hog
	holds "stop the fourth" limpet stop
fi
holds "detach at the end" limpet detach
equal "Linux's entry points at the end" "$before" "$(calls_entries)"
linux_is_well
finish
