#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# Linux 6.12's KVM looks for Linux's entry points in a thread, where Limpet's are never loaded.
in_thread() {
	case $LIMPET_KERNEL in 6.12*) true ;; *) false ;; esac
}
kvm=$(grep '/kvm\.ko' /limpet/modules)
kvm_intel=$(grep '/kvm-intel\.ko' /limpet/modules)

# rounds: how often the virtual processor has made its system calls
machine_rounds() {
	cat /tmp/machine 2>/dev/null || echo 0
}
past() {
	[ "$(machine_rounds)" -gt "$1" ]
}
# machine_goes_on NAME: it runs guest code, and returns to Linux between
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
# calls_go_on NAME: system calls of others, on the CPU of the virtual processor
calls_go_on() {
	holds "$1" taskset 1 sh -c 'true; uname >/dev/null'
}

# calls_entries: the system call MSRs of each CPU; KVM leaves another limit of the IDT
calls_entries() {
	entry_points | sed 's/ idt .*//'
}

dmesg -c >/dev/null # what Linux says of this processor when it boots
must insmod /limpet/probe.ko
before=$(calls_entries)

# The first virtual machine comes while a host thread of the system runs on CPU 0.
attach
start hog
machine_start 1 0
machine_goes_on "a virtual machine runs beside a system"
goes_on "the system goes on beside it"
holds "stop" limpet stop
holds "detach" limpet detach
machine_goes_on "it runs on without Limpet"
calls_go_on "so do others on its CPU"
machine_stop "the virtual machine ends well"
equal "Linux's entry points" "$before" "$(calls_entries)"

# A system that comes while a virtual machine runs.
machine_start 0 0
machine_goes_on "a virtual machine without Limpet"
holds "attach beside a virtual machine" within 20 limpet attach
start hog
machine_goes_on "it runs beside a system that comes later"
if in_thread; then
	pass "KVM is no user of the system's"
else
	refused "KVM's part for Intel stays while the system runs" 'in use|busy|temporarily unavailable' rmmod kvm_intel
fi
holds "stop the second" limpet stop
machine_stop "that virtual machine ends well, too"
holds "KVM's part for Intel goes" within 10 rmmod kvm_intel

# KVM that comes while a system runs.
holds "all of KVM goes" rmmod kvm
start hog
holds "KVM itself comes" insmod "$kvm"
if in_thread; then
	holds "its part for Intel comes" insmod "$kvm_intel"
	machine_start 1 0
	machine_goes_on "a virtual machine of a KVM that came later"
	machine_stop "it ends well"
else
	refused "its part for Intel" "can't insert" insmod "$kvm_intel"
	check "the reason is in the kernel's log" "$(dmesg | tail -3)" sh -c \
		'dmesg | grep -q "limpet: KVM does not load: a system runs beside, or Limpet is attached beneath"'
fi
goes_on "the system goes on, whatever came"
holds "stop the third" limpet stop
in_thread || holds "KVM comes when the system is gone" within 10 insmod "$kvm_intel"

# KVM that cannot be used.
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
