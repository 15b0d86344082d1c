#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table3: from the interrupt of an incoming UDP datagram to whoever receives it. The datagrams come from
# outside, through the machine's network card; who is to get them is asked for by {"send": ADDRESS}.
. /limpet/bench/common.sh

count=1000
port=7

# datagrams ADDRESS: from now on they are for it; none: no more
datagrams() {
	echo "{\"send\": \"$1\"}" | send
}

echo -1 >/proc/sys/kernel/sched_rt_runtime_us
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip address add 10.3.0.1/24 dev eth0
ip link set eth0 up

say "Linux: a socket"
datagrams 10.3.0.1
measure receive udp $count $port

say "Linux: a TUN device"
ip tuntap add tun0 mode tun
ip address add 10.3.1.1/24 dev tun0
ip link set tun0 up
datagrams 10.3.1.2
measure receive tun $count $port tun0
ip tuntap del tun0 mode tun
datagrams ""
