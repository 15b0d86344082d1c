#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# busybox's `ip` has too few functions.
ip() {
	/usr/bin/ip "$@"
}

# received INTERFACE COUNT: succeeds if Linux has received COUNT router advertisements. A ping makes the component send
# one
received() {
	ping -6 -q -c 1 -W 1 fe80::2%$1 >/dev/null 2>&1
	[ "$(sed -n 's/^Icmp6InRouterAdvertisements[[:space:]]*//p' /proc/net/dev_snmp6/$1)" -ge $2 ]
}

# routed INTERFACE: succeeds if it has an address and a default route of the advertisement
routed() {
	ip -6 address show dev $1 | grep -q 2001:db8: && ip -6 route show default dev $1 | grep -q fe80::1
}

# learned INTERFACE: prints the addresses and routes that Linux has learned from a router there
learned() {
	ip -6 address show dev $1 | grep 2001:db8:
	ip -6 route show default dev $1
}

# refuses INTERFACE: checks that Linux accepts the component as a neighbour only
refuses() {
	must ip link set $1 up
	check "$1: advertisements come in" "$(cat /proc/net/dev_snmp6/$1)" within 30 received $1 3
	equal "$1: Linux has neither an address nor a route of them" "" "$(learned $1)"
	equal "$1: no redirects of IPv6" 0 "$(cat /proc/sys/net/ipv6/conf/$1/accept_redirects)"
	equal "$1: no source routes of IPv6" -1 "$(cat /proc/sys/net/ipv6/conf/$1/accept_source_route)"
	equal "$1: no redirects of IPv4" 0 "$(cat /proc/sys/net/ipv4/conf/$1/accept_redirects)"
	equal "$1: no source routes of IPv4" 0 "$(cat /proc/sys/net/ipv4/conf/$1/accept_source_route)"
}

attach
start "$PWD/router.limpet"
refuses limpet0
must ip link set limpet0 mtu 1000 # disables IPv6
must ip link set limpet0 mtu 1400 # restarts IPv6 with its defaults
equal "limpet0: IPv6 refuses them after a change of the MTU" 0 "$(cat /proc/sys/net/ipv6/conf/limpet0/accept_ra)"
echo 1 >/proc/sys/net/ipv6/conf/limpet0/accept_ra
must ip link set limpet0 down
must ip link set limpet0 up
equal "limpet0: a setting of the administrator stays" 1 "$(cat /proc/sys/net/ipv6/conf/limpet0/accept_ra)"
within 30 received limpet0 4
check "limpet0: with that setting Linux takes the router" "$(learned limpet0)" within 30 routed limpet0

limpet tun uplink >/tmp/tun 2>&1 &
check "limpet tun begins" "$(cat /tmp/tun)" within 20 grep -q '^interface uplink, channel uplink' /tmp/tun
refuses uplink
must limpet stop
must limpet detach
finish
