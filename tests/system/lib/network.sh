# SPDX-License-Identifier: GPL-2.0
# Functions that set up the networks of a guest. bench/guest includes them, too.

# network_plain: disables IPv6, and so its automatic addresses and packets
network_plain() {
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
}

# network_up DEVICE ADDRESS/PREFIX
network_up() {
	ip address add "$2" dev "$1" && ip link set "$1" up
}

# network_bridge ADDRESS/PREFIX DEVICE...: bridges the devices into one network, in which Linux has the address
network_bridge() {
	brctl addbr br0 || return
	address=$1
	shift
	for device; do
		ip link set "$device" up && brctl addif br0 "$device" || return
	done
	network_up br0 "$address"
}
