#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# received COUNT: succeeds if the process has received COUNT datagrams with one socket
received() {
	[ "$(sed -n 's/ datagrams//p' /tmp/crowd | tail -n 1)" -ge "$1" ]
}

# worst COUNT [CHANNEL]: sets `worst` to the maximum lateness of the 1 kHz loop in three reports, while a process of
# another user receives broadcasts with COUNT sockets
worst() {
	./crowd "$@" >/tmp/crowd 2>&1 &
	crowd=$!
	check "$* sockets" "$(cat /tmp/crowd)" within 60 grep -q ready /tmp/crowd
	mark
	within 60 logged 4 '"figure".*"timer"'
	equal "$* sockets: no period is missed" "" \
		"$(since_mark | grep '"overruns"' | tail -n 3 | grep -v '"count": 0}')"
	worst=$(since_mark | sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' | tail -n 3 | sort -n | tail -n 1)
	check "$* sockets: datagrams arrive" "$(tail -n 2 /tmp/crowd)" received 300
	figure "{\"suite\": \"system\", \"case\": \"net-crowd\", \"sockets\": \"$*\", \"max\": ${worst:-0}}"
	kill $crowd
	wait $crowd
}

# Linux delivers one frame to all sockets without switching to another thread, in 1,100 instructions for each socket. A
# burst has 32 frames, so all of it takes seven periods.
many=200
limit=400000

attach
start "$PWD/crowd.limpet"
chmod 666 /dev/net/tun
within 20 [ -e /sys/class/net/limpet0 ]
must ip link set limpet0 up
worst 1
worst $many
check "limpet0: lateness with $many sockets" "$worst instructions" [ "${worst:-9999999}" -le $limit ]
must ip link set limpet0 down
worst $many uplink
check "TAP: lateness with $many sockets" "$worst instructions" [ "${worst:-9999999}" -le $limit ]
holds "stops" limpet stop
holds "detaches" limpet detach
finish
