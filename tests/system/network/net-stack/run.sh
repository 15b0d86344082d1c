#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

leased=10.7.0.50 # the only address of the server
at=10.6.0.2

# busybox's `ip` cannot make TUN devices.
ip() {
	/usr/bin/ip "$@"
}

# pinged ADDRESS [COUNT]: succeeds if all pings are answered within a second
pinged() {
	ping -q -c ${2:-3} -W 1 $1 | grep -q " 0% packet loss"
}

# answers ADDRESS: tries this up to five times, because the machine can be paused for a second
answers() {
	for try in $(seq 5); do
		pinged $1 && return
	done
	return 1
}

# there ADDRESS: waits until the address answers, for up to a minute
there() {
	for try in $(seq 60); do
		pinged $1 1 && return
	done
	return 1
}

# crash ADDRESS: sends a ping that crashes the stack
crash() {
	ping -q -c 1 -W 1 -s 666 $1 >/dev/null
}

dhcp_serve() {
	mkdir -p /var/lib/misc
	: >/tmp/leases
	cat >/tmp/udhcpd.conf <<-END
		start $leased
		end $leased
		interface limpet0
		lease_file /tmp/leases
		pidfile /tmp/udhcpd.pid
		option subnet 255.255.255.0
		option router 10.7.0.1
		option lease 600
	END
	udhcpd -f /tmp/udhcpd.conf >/tmp/udhcpd 2>&1 &
	server=$!
}

# leased_to NAME: succeeds if the server's leases list the address for NAME
leased_to() {
	dumpleases -f /tmp/leases 2>/dev/null | grep -qE "$leased +$1 "
}

# whole NAME ADDRESS: checks a running stack
whole() {
	holds "$1: answers" answers $2
	holds "$1: each datagram comes back as it was" ./echo $2 7 400
}

# survives NAME ADDRESS: checks that the component crashes, its client notices, and it restarts
survives() {
	mark
	crash $2
	check "$1: it crashes" "$(limpet crash)" within 20 sh -c 'limpet crash | grep -q "$0"' "$1"
	check "$1: its client notices and logs it" "$(since_mark)" within 20 logged 1 "echo.$1: port 7: .*; it is tried again"
	check "$1: its client has opened its port again" "$(since_mark)" within 20 logged 1 "echo.$1: port 7 is open"
}

# frail PART: crashes one part of the HTTP server. The present client gets 503, and later clients are served
frail() {
	mark
	said=$(wget -q -O /dev/null http://$at/$1 2>&1)
	check "http.$1: who makes it crash gets 503" "$said" [ "${said%% 503 *}" != "$said" ]
	check "http.$1: is restarted" "$(since_mark)" within 20 logged 1 "http.$1: .*: restart 1, from its checkpoint"
	holds "http.$1: pages after it" load limpet $at 80 /about.html 50 keep
	holds "http.$1: figures after it" load limpet $at 80 /figures.json 20 close
}

# talk: opens a connection to the sink, until its other end closes it. $talker is its process
talk() {
	mkfifo /tmp/words
	nc $at 5001 </tmp/words >/dev/null 2>&1 &
	talker=$!
	exec 9>/tmp/words
	within 20 sh -c "netstat -tn | grep -q ':5001 *ESTABLISHED'"
}

gone() {
	! kill -0 $1 2>/dev/null
}

network_plain
attach
start "$PWD/stack.limpet"
check "the ports are open" "$(since_mark)" within 20 logged 4 'port [0-9]* is open'

must network_up limpet0 10.7.0.1/24
refused_before=$(pinged $leased 1 && echo it answers)
equal "the address is unused before it is given" "" "$refused_before"
dhcp_serve
check "the stack gets its address by DHCP" "$(cat /tmp/udhcpd; ip neighbour)" there $leased
kill -USR1 $server
check "the lease has the name of the stack" "$(dumpleases -f /tmp/leases 2>&1)" within 20 leased_to device
whole device $leased

limpet tun uplink >/tmp/tun 2>&1 &
within 20 [ -e /sys/class/net/uplink ]
must network_up uplink 10.6.0.1/24
check "process: there" "$(cat /tmp/tun; ip link)" there $at
whole process $at
holds "process: a page, 100 times" load limpet $at 80 /about.html 100 keep
holds "process: a page by a connection each, 20 times" load limpet $at 80 / 20 close

for part in files status parse; do
	frail $part
done
mark
wget -q -O /dev/null http://$at/accept >/tmp/wget 2>&1
check "http.accept: is restarted" "$(since_mark)" within 20 logged 1 "http.accept: .*: restart 1, from its checkpoint"
check "http.accept: has its port again" "$(since_mark)" within 20 logged 1 'http.accept: port 80 is open'
equal "http.accept: had it at once" "" "$(since_mark | grep 'cannot be opened')"
holds "http.accept: pages after it" load limpet $at 80 /about.html 50 keep

check "a connection to the sink" "$(netstat -tn)" talk
mark
echo crash | timeout 20 nc $at 5001 >/dev/null 2>&1
check "tcp.sink: crashes and stays stopped" "$(since_mark)" within 20 logged 1 'tcp.sink: .*: it stays stopped'
check "its other connection ends" "$(netstat -tn)" within 20 gone $talker
exec 9>&-
refused "its port is closed" "refused" timeout 20 nc $at 5001
holds "other clients of the stack continue" load limpet $at 80 /about.html 50 keep

survives process $at
check "process: answers after it" "$(cat $log)" there $at
whole process $at
check "process: the port of pages is open again" "$(since_mark)" within 20 logged 1 'http.accept: port 80 is open'
holds "process: a page after it, 50 times" load limpet $at 80 /about.html 50 keep

survives device $leased
check "device: asks for its address again and gets it" "$(cat /tmp/udhcpd)" there $leased
whole device $leased
holds "process: undisturbed" answers $at

kill $server
must limpet stop
holds "detach" limpet detach
linux_is_well
finish
