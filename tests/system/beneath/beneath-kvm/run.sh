#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

module=$(grep kvm-amd /limpet/modules)

check "doctor says that KVM is in the way" "$(limpet doctor)" sh -c 'limpet doctor | grep -q "KVM is loaded"'
refused "attach while KVM is loaded" 'KVM is loaded. Unload it: modprobe -r kvm_amd kvm' \
	limpet attach --beneath
holds "beside it may stay" limpet attach
holds "detach" limpet detach

holds "KVM's part for AMD goes" rmmod kvm_amd
holds "KVM goes" rmmod kvm
attach
start control
continues "a system runs"
holds "KVM itself comes" insmod "$(grep '/kvm\.ko' /limpet/modules)"
refused "its part for AMD" "can't insert" insmod "$module"
check "the reason is in the kernel's log" "$(dmesg | tail -3)" sh -c \
	'dmesg | grep -q "limpet: KVM does not load: a system with executives runs, or Limpet is attached beneath"'
continues "the system continues"
holds "stop" limpet stop
holds "detach after that" limpet detach
holds "KVM comes when Limpet is gone" insmod "$module"
linux_is_well
finish
