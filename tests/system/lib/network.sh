# SPDX-License-Identifier: GPL-2.0
# Networks of a guest; for bench/guest, too.

# network_plain: no IPv6 addresses that come by themselves, and their packets
network_plain() {
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
}

# network_up DEVICE ADDRESS/PREFIX
network_up() {
	ip address add "$2" dev "$1" && ip link set "$1" up
}

# network_bridge ADDRESS/PREFIX DEVICE...: the devices are one network, in which Linux has the address
network_bridge() {
	brctl addbr br0 || return
	address=$1
	shift
	for device; do
		ip link set "$device" up && brctl addif br0 "$device" || return
	done
	network_up br0 "$address"
}
