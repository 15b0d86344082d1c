#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

# says WHAT TEXT: waits until the log has the text
says() {
	check "$1" "$(since_mark | tail -n 8)" within 30 logged 1 "$2"
}

# order COMMAND: makes the slaves carry it out
order() {
	mark
	echo "$1" >&4
	must within 20 grep -q "^$1\$" /tmp/line
}

# exchanges WHAT: waits until 100 cycles in a row are good, which takes at least 1 s
exchanges() {
	check "$1" "$(since_mark | tail -n 8)" within 40 logged 1 'user: 100 good cycles in a row'
}

network_plain
attach
start "$PWD/line.limpet"
says "the master reports that no slave answers" 'ethercat: .*no frame comes back'
must ip link set limpet0 up
mkfifo /tmp/orders
./line limpet0 </tmp/orders >/tmp/line 2>&1 &
slaves=$!
exec 4>/tmp/orders
says "the master finds the slaves" 'ethercat: 3 slaves answer'
for slave in 0 1 2; do
	says "slave $slave reaches OP" "ethercat: slave $slave is in OP"
done
exchanges "process data are exchanged"

order "lose 3"
says "lost frames are reported" 'ethercat: .*failed cycles: [1-9][0-9]* frames lost'
exchanges "the exchange continues after lost frames"

order "fall 1"
says "the master reports a slave that leaves OP" 'ethercat: .*slave 1 has fallen back to SAFE-OP: AL status code 1b, sync manager watchdog'
says "the slave reaches OP again" 'ethercat: slave 1 is in OP'

order "drop 2"
says "the master reports a slave that does not answer" 'ethercat: .*slave 2 does not answer'
says "the wrong working counters are reported" 'ethercat: .*failed cycles: .* [1-9][0-9]* wrong working counters'
order "back 2"
says "the slave that has come back reaches OP" 'ethercat: slave 2 is in OP'
exchanges "process data of all slaves are exchanged again"

equal "inputs were always those of earlier outputs" "" "$(grep 'wrong: ' $log)"
must limpet stop
exec 4>&-
wait $slaves
equal "all frames of the master were valid" "ready" "$(grep -v '^[a-z]* [0-9]$' /tmp/line)"
holds "detaches" limpet detach
linux_is_well
finish
