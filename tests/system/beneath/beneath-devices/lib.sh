# SPDX-License-Identifier: GPL-2.0
# Functions that check Linux's view of the devices, with and without a system that has them.
. /limpet/system.sh

here=/limpet/tests/beneath-devices
registers=/sys/module/registers/parameters
hpet=0xfed00000 config=0xb0028000 # in q35's configuration space, of device 5
line=0x2ed			  # line status register of the serial port

port() {
	dd if=/dev/port bs=1 skip=$(($1)) count=1 2>/dev/null | od -An -tx1 | tr -d ' '
}
register() {
	echo "$1" >$registers/at && cat $registers/value
}
register_write() {
	echo "$1" >$registers/at && echo "$2" >$registers/value
}
# identity: prints the PCI function's identity, read by configuration ports
identity() {
	od -An -tx4 -N4 /sys/bus/pci/devices/0000:00:05.0/config 2>/dev/null | tr -d ' '
}

# devices_are NAME PORT IDENTITY: checks the values that Linux reads
devices_are() {
	equal "the serial port: $1" "$2" "$(port $line)"
	equal "the PCI function by ports: $1" "$3" "$(identity)"
	equal "the PCI function in memory: $1" "0x$3" "$(register $config)"
}

# hidden NAME: checks that Linux's accesses do not reach the devices of components
hidden() {
	printf 'X' | dd of=/dev/port bs=1 seek=$((0x2e8)) 2>/dev/null
	register_write $((config + 4)) 0
	settings=$(register $((hpet + 0x10)))
	register_write $((hpet + 0x10)) 0
	equal "the HPET's settings stay: $1" "$settings" "$(register $((hpet + 0x10)))"
	mark
	check "all drivers continue: $1" "$(since_mark | tail -n 5)" within 60 all_continue
	equal "nothing is wrong: $1" "" "$(since_mark | grep wrong)"
}
all_continue() {
	logged 2 'edu: 20 factorials' && logged 2 'hpet: .*"figure"' && logged 2 'control: .*"figure"'
}

# worst COMPONENT: prints the maximum of all its reports
worst() {
	sed -n "s/^$1: .*\"figure\".*\"max\": \([0-9]*\).*/\1/p" $log | sort -n | tail -n 1
}
