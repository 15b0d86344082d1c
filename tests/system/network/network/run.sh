#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# busybox's `ip` has too few functions.
ip() {
	/usr/bin/ip "$@"
}

# carrier INTERFACE VALUE: succeeds if its link is up (1) or down (0)
carrier() {
	[ "$(cat /sys/class/net/$1/carrier 2>/dev/null)" = $2 ]
}

# went_down INTERFACE SINCE: succeeds if its link went down more than SINCE times. It may already be up again
went_down() {
	[ "$(cat /sys/class/net/$1/carrier_down_count)" -gt $2 ]
}

# answers ADDRESS [SIZE [COUNT]]: checks that all pings are answered. It tries five times, because the machine can pause
answers() {
	for try in $(seq 5); do
		ping -q -i 0.2 -c ${3:-3} -s ${2:-56} -W 2 $1 | grep -q " 0% packet loss" && return
	done
	return 1
}

# crash ADDRESS: sends a datagram that crashes the component
crash() {
	./datagrams $1 9 1 16
}

# echoes FILE COUNT: succeeds if FILE has at least COUNT echo requests and replies. Sets `seen` to their number
echoes() {
	seen=$(tcpdump -n -r $1 2>/dev/null | grep -c 'ICMP echo')
	[ $seen -ge $2 ]
}

# each INTERFACE NETWORK: runs the checks for one of both interfaces
each() {
	interface=$1 at=$2
	holds "$interface: comes up" ip link set $interface up
	check "$interface: the link is up" "$(ip link show $interface)" within 20 carrier $interface 1
	must ip address add $at.1/24 dev $interface
	holds "$interface: answers" answers $at.2
	holds "$interface: answers the longest packet" answers $at.2 1372
	tcpdump --immediate-mode -U -n -i $interface -w /tmp/$interface.pcap icmp 2>/tmp/$interface.tcpdump &
	dump=$!
	within 20 grep -q 'listening on' /tmp/$interface.tcpdump
	holds "$interface: answers while tcpdump looks" answers $at.2
	within 20 echoes /tmp/$interface.pcap 6 # tcpdump may write later than ping ends
	kill $dump
	wait $dump
	check "$interface: tcpdump has seen requests and replies" "$seen; at least 6 expected" echoes /tmp/$interface.pcap 6
	check "$interface: a flood is survived" "see $log" flood $at.2
	holds "$interface: answers after the flood" answers $at.2
	must ip link set $interface down
	refused_ping "$interface: no answer while it is down" $at.2
	must ip link set $interface up
	check "$interface: the link is up again" "$(ip link show $interface)" within 20 carrier $interface 1
	holds "$interface: answers again" answers $at.2
	downs=$(cat /sys/class/net/$interface/carrier_down_count)
	crash $at.2
	check "$interface: its component crashes, the link goes down" "$(ip link show $interface)" \
		within 20 went_down $interface $downs
	check "$interface: it is restarted, the link comes up" "$(ip link show $interface)" \
		within 20 carrier $interface 1
	holds "$interface: answers after the restart" answers $at.2
}

# flood ADDRESS: sends datagrams at the maximum rate from two processes
flood() {
	./datagrams $1 7 $(part 3000 100000) 1000 &
	other=$!
	./datagrams $1 7 $(part 3000 100000) 100
	wait $other
}

refused_ping() {
	if ping -q -c 1 -W 1 $2 >/dev/null 2>&1; then fail "$1" "it did"; else pass "$1"; fi
}

echo tcpdump:x:0:0::/: >/etc/passwd # the user of tcpdump
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
attach
refused "an interface's name that is taken" "Linux has this name already" limpet run ./taken.limpet

# The function that makes the threads of the device's reception does nothing.
function=dev_set_threaded
! grep -q ' netif_threaded_enable$' /proc/kallsyms || function=netif_threaded_enable
must insmod /limpet/hunger.ko function=$function name=limpet-host
must sh -c "echo 1 >/sys/module/hunger/parameters/refuse"
refused "an interface without its thread" 'Linux cannot create it \(error 12\)' limpet run ./network.limpet
equal "its thread was wanted" 1 "$(cat /sys/module/hunger/parameters/refused)"
check "no interface remains" "$(ip link)" [ ! -e /sys/class/net/limpet0 ]
must rmmod hunger

start "$PWD/network.limpet"

check "the interface is there, down" "$(ip link)" [ -e /sys/class/net/limpet0 ]
equal "the MTU of the system file" 1400 "$(cat /sys/class/net/limpet0/mtu)"
each limpet0 10.5.0
holds "a smaller MTU" ip link set limpet0 mtu 600
holds "answers with it" answers 10.5.0.2 500
refused "a greater MTU than the channel's" "" ip link set limpet0 mtu 1401
must ip link set limpet0 mtu 1400
equal "ethtool knows it" "driver: limpet" "$(ethtool -i limpet0 | head -n 1)"
holds "checksums can be Linux's" ethtool -K limpet0 tx off
holds "answers with them" answers 10.5.0.2
must ethtool -K limpet0 tx on

holds "what the module does not take for a TAP device" ./refusals other
refused "limpet tun of no channel" "No running system has a channel 'none'" limpet tun none
limpet tun uplink >/tmp/tun 2>&1 &
tun=$!
check "limpet tun begins" "$(cat /tmp/tun)" within 20 [ -e /sys/class/net/uplink ]
within 20 grep -q '^interface uplink, channel uplink' /tmp/tun
refused "a second one" "Another process" limpet tun uplink --interface second
each uplink 10.6.0
kill -STOP $tun
flood 10.6.0.2
refused_ping "limpet tun stopped: no answer" 10.6.0.2
kill -CONT $tun
check "going on, it answers" "$(ip link show uplink)" within 20 answers 10.6.0.2 56 1
must ip link del uplink
check "its interface deleted, limpet tun ends and says so" "$(cat /tmp/tun)" \
	within 20 grep -q "Interface 'uplink' was deleted" /tmp/tun
wait $tun
limpet tun uplink >/tmp/tun 2>&1 &
tun=$!
within 20 [ -e /sys/class/net/uplink ]
kill -9 $tun
wait $tun
check "killed, its interface is gone" "$(ip link)" within 20 [ ! -e /sys/class/net/uplink ]
limpet tun uplink >/tmp/tun 2>&1 &
tun=$!
within 20 [ -e /sys/class/net/uplink ]
must ip address add 10.6.0.1/24 dev uplink
must ip link set uplink up
within 20 carrier uplink 1
holds "another one continues" answers 10.6.0.2

must limpet stop
check "the system has ended, and limpet tun with it" "$(cat /tmp/tun)" within 20 [ ! -e /sys/class/net/uplink ]
check "and the network device is gone" "$(ip link)" within 20 [ ! -e /sys/class/net/limpet0 ]
start "$PWD/network.limpet"
must ip link set limpet0 up
must ip address add 10.5.0.1/24 dev limpet0
within 20 carrier limpet0 1
holds "the next system answers" answers 10.5.0.2
holds "ends with the interface up" limpet detach --stop
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -3)"
finish
