#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

module=/tmp/limpet.ko

# altered [CHANGE...]: makes a copy of the module in which this kernel counts as untried, with one more optional change
altered() {
	cp /limpet/limpet.ko $module
	must ./alter $module untried
	[ $# = 0 ] || must ./alter $module "$@"
}

not_attached() {
	check "$1: no module is left" "$(cat /proc/modules)" eval '! grep -q "^limpet " /proc/modules'
}

limpet doctor >/tmp/doctor
for name in symbols entries structures; do
	check "doctor compares $name" "$(cat /tmp/doctor)" grep -qE "^$name +ok +compared" /tmp/doctor
done

altered
refused "without --untried" 'newer than any that Limpet was tried on. Attach with --untried' \
	limpet attach --module $module
not_attached "without --untried"

altered field task_struct.mm
refused "a field elsewhere" 'The check structures refuses: task_struct.mm: .* but the module expects .*\. Boot' \
	limpet attach --untried --module $module
altered needs preempt_notifier_register
refused "a function is missing" 'The check symbols refuses: missing: Xreempt_notifier_register\. .*\. Boot' \
	limpet attach --untried --module $module
altered
mount -o bind /dev/null /sys/kernel/btf/vmlinux
refused "without type information" 'The check structures refuses: .*/sys/kernel/btf/vmlinux.*\. Boot' \
	limpet attach --untried --module $module
umount /sys/kernel/btf/vmlinux
mount -o bind /dev/null /proc/kcore
refused "without the kernel's memory" 'The check entries refuses: .*/proc/kcore\. Run the command as root' \
	limpet attach --untried --module $module
umount /proc/kcore
not_attached "with differences"

printf 'untried = yes\nmodule = %s\n' $module >/tmp/limpet.conf
holds "attach as limpet.conf says" limpet attach --config /tmp/limpet.conf
start ping
check "a system runs" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "detach" limpet detach --stop
linux_is_well
finish
