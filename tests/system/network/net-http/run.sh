#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

host=10.0.2.15

# at_rest: succeeds if only this request's connection is open, and no connection has failed
at_rest() {
	said=$(wget -q -O - http://$host/figures.json)
	echo "$said" | grep -q '"open": 1,' && echo "$said" | grep -q '"failed": 0,'
}

network_plain
must limpet attach
start net
must network_bridge 10.0.2.14/24 eth0 limpet0
check "the ports are open" "$(since_mark | tail -n 5)" within 20 logged 3 'port [0-9]* is open'

holds "ping" ping -c 3 -W 5 $host
# In `make test-all` one case makes as many requests as a hundred a second in an hour, and each other case a twentieth.
# Pools have fixed sizes, so a loss of one buffer in a thousand connections would empty them.
requests=$(rounds 200 18000) connections=$(rounds 50 1800)
[ "$LIMPET_CASE-$LIMPET_LONG" != 0-1 ] || requests=360000 connections=36000
holds "a page, many times" load limpet $host 80 /about.html $requests keep
holds "a page by a connection each, many times" load limpet $host 80 / $connections close
within 10 at_rest
check "nothing of that is still open, nothing has failed" "$said" at_rest
echo '{"outside": true}' >/dev/verdict
# drive.py finally makes two connections to the sink, and sends three bytes to it after all its programs have ended.
check "the clients outside have sent their data" "$(since_mark | tail -n 5)" within 300 logged 2 'tcp.sink: .*: [0-9]{7} bytes in'
check "the clients outside have ended" "$(since_mark | tail -n 5)" within 300 logged 1 'tcp.sink: .*: 3 bytes in'
must limpet stop
holds "detach" limpet detach
linux_is_well
finish
