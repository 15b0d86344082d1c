#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

host=10.0.2.15

# held: what the network stack has in use
held() {
	wget -q -O - http://$host/figures.json | grep -oE '"(sockets|frames held|tcp segments|tcp connections)": *[0-9]+'
}

same_held() {
	[ "$(held)" = "$before" ]
}

network_plain
must limpet attach
start net
must network_bridge 10.0.2.14/24 eth0 limpet0
check "the ports are open" "$(since_mark | tail -n 5)" within 20 logged 3 'port [0-9]* is open'

holds "ping" ping -c 3 -W 5 $host
equal "the stack tells what it has in use" 4 "$(held | wc -l)"
before=$(held)
# With LIMPET_LONG as many as a hundred a second for an hour.
holds "a page, many times" load limpet $host 80 /about.html $(rounds 200 360000) keep
holds "a page by a connection each, many times" load limpet $host 80 / $(rounds 50 36000) close
check "nothing of that is still in use" "$(held) was $before" within 10 same_held
echo '{"outside": true}' >/dev/verdict
# Its last part are two connections to the sink.
check "who is outside has done its part" "$(since_mark | tail -n 5)" within 300 logged 2 'tcp.sink: .*: [0-9]{7} bytes in'
must limpet stop
holds "detach" limpet detach
linux_is_well
finish
