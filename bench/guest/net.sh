#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite net: an HTTP server of components, Linux's own server on the same machine, and UDP streams to a counting
# receiver. The clients are Linux's processes, on the same CPU.
. /limpet/bench/common.sh
. /limpet/network.sh

requests=900	# one connection of http.accept takes 1,000
network_plain
mkdir -p /tmp/www /var/log/nginx /var/lib/nginx
cp /limpet/bench/1k.txt /tmp/www/1k.txt

say "Linux alone: nginx, busybox httpd"
must nginx -c /limpet/bench/nginx.conf
must httpd -p 127.0.0.1:8081 -h /tmp/www
sleep 0.5
measure load nginx 127.0.0.1 8080 /1k.txt $requests keep
measure load nginx 127.0.0.1 8080 /1k.txt $requests close
measure load busybox 127.0.0.1 8081 /1k.txt $requests close
killall nginx httpd

say "a system runs"
attach
system_start net
must network_up limpet0 10.0.2.2/24
await 20 1 'port 80 is open'
await 20 1 'port 9 is open'
say "an HTTP server of components"
measure load limpet 10.0.2.15 80 /1k.txt $requests keep
measure load limpet 10.0.2.15 80 /1k.txt $requests close
say "four streams, 42,000 datagrams a second, for 10 s"
must streams limpet 10.0.2.15 9 10 >/tmp/streams
# The receiver's count shows that no datagram is lost.
await 30 1 'udp.sink: 420000 datagrams received'
send </tmp/streams
must limpet stop
must limpet detach >/dev/null
