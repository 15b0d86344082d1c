#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

here=/limpet/tests/devices-refused

# number WORDS NAME=NUMBER: passes if the module refuses a request with this number
number() {
	refused "$2, past the command" "^$1\$" "$here/load" "$here/line.limpet" "$2"
}

# parameter WORDS NAME=NUMBER: passes if the module is not loaded with this parameter, and logs the words
parameter() {
	check "the module refuses $2" "it does not" sh -c "! insmod /limpet/limpet.ko beneath=1 $2 2>/dev/null"
	check "$2: the reason" "$(dmesg | tail -n 3)" sh -c "dmesg | grep -qE 'limpet: refused: beneath: $1\$'"
}

if [ "$LIMPET_MODE" = beneath ]; then
	parameter '--memory 3 must be 4 to 4096 MiB\. Choose another size\.' memory=3
	parameter 'room=1025 must be at most 1024 MiB\. Use a smaller initrd\.' room=1025
	parameter '--heartbeat 3601 must be at most 3600 s\. Choose less\.' heartbeat=3601
fi
attach
number 'The number of CPUs in --cpus must be 1 to 64, but is 0\. Choose another number\.' cpus=0
number 'The number of CPUs in --cpus must be 1 to 64, but is 65\. Choose another number\.' cpus=65
number 'CPU 0 is named twice\. Name each once\.' cpus=2
number '--linux-share must be 0 to 900, but is 901\. Choose another number\.' linux_share=901
number '--early must be 0 to 100, but is 101\. Choose another number\.' early_us=101
number 'The image size 4097 is wrong\. Compose it again\.' size=4097
number "The image's size \(record 0\) is more than the file's size: the image is truncated\. Compose it again\." size=4096
if [ "$LIMPET_MODE" = beneath ]; then
	refused "Linux's interrupt" 'driver: Linux uses interrupt 9, for acpi' limpet run $here/line.limpet
	refused "no PCI function" 'driver: There is no PCI function 0000:00:1e.0' \
		limpet run $here/function.limpet
else
	for system in line function ports; do
		refused "$system" 'Component driver has .*. Components can have devices only in beneath mode' \
			limpet run $here/$system.limpet
		refused "$system, past the command" \
			'Component 3 has .*, which is available only in beneath mode' \
			$here/load $here/$system.limpet
	done
fi
check "nothing is loaded" "$(limpet ps 2>&1)" nothing_loaded
linux_is_well
holds "detach" limpet detach
finish
