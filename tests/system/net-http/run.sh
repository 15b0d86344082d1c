#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

host=10.0.2.15

network_plain
must limpet attach
start net
must network_bridge 10.0.2.14/24 eth0 limpet0
check "the ports are open" "$(since_mark | tail -n 5)" within 20 logged 3 'port [0-9]* is open'

holds "ping" ping -c 3 -W 5 $host
holds "a page, 200 times" load limpet $host 80 /about.html 200 keep
holds "a page by a connection each, 50 times" load limpet $host 80 / 50 close
echo '{"outside": true}' >/dev/verdict
# Its last part are two connections to the sink.
check "who is outside has done its part" "$(since_mark | tail -n 5)" within 300 logged 2 'tcp.sink: .*: [0-9]{7} bytes in'
must limpet stop
holds "detach" limpet detach
linux_is_well
finish
