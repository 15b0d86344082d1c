#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite table3: from the interrupt of an incoming UDP datagram to its receiver. The datagrams come from outside, through
# the machine's network card. {"send": ADDRESS} selects their receiver.
. /limpet/bench/common.sh

count=1000
port=7

# datagrams ADDRESS: sets the receiver of the next datagrams. Stops them if no address is given
datagrams() {
	echo "{\"send\": \"$1\"}" | send
}

# busybox's `ip` cannot make TUN devices.
ip() {
	/usr/bin/ip "$@"
}

# threads_raise PATTERN: gives these threads of the kernel a higher priority than all spinning threads
threads_raise() {
	for task in /proc/[0-9]*; do
		case $(cat $task/comm) in $1) must chrt -f -p 96 ${task#/proc/} ;; esac
	done
}

# Linux 6.1 leaves all received packets to ksoftirqd while that is awake. With a spinning thread it never sleeps again.
# PREEMPT_RT handles the card's interrupt in a thread of priority 50. The spinning thread has the same priority, so the
# interrupt's thread would never run.
threads_raise 'ksoftirqd/*'
threads_raise 'irq/*'
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
# Linux 6.12 has a second such limit: waiting ordinary tasks get 50 ms of each second before real-time tasks. It can be
# disabled only after the first one; otherwise the write sometimes fails with EBUSY.
must mount -t debugfs debugfs /sys/kernel/debug
for server in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
	[ ! -e $server ] || must sh -c "echo 0 >$server"
done
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
ip address add 10.3.0.1/24 dev eth0
ip link set eth0 up
ip neighbour add 10.3.0.2 lladdr 52:54:00:00:00:02 dev eth0

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

# answers INTERFACE NETWORK: the component behind the interface answers
answers() {
	for try in $(seq 100); do
		[ -e /sys/class/net/$1 ] && break
		sleep 0.1
	done
	must ip address add $2.1/24 dev $1
	must ip link set $1 up
	must ping -c 3 $2.2 >/dev/null
}

# limpet_receives: the component's measurements of datagrams for the address
limpet_receives() {
	mark
	datagrams $1
	await 120 1 'host: done'
	datagrams ""
	marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | send
}

attach
say "a component behind limpet0"
system_start responder --linux-share 0
threads_raise 'napi/limpet0*' # receives the component's answers
answers limpet0 10.3.2
limpet_receives 10.3.2.2
must limpet stop

say "a component behind limpet tun"
system_start responder-tun --linux-share 0
limpet tun uplink --priority 96 >/dev/null &
answers uplink 10.3.3
limpet_receives 10.3.3.2
must limpet detach --stop >/dev/null
