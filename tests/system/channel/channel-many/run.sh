#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# wanted: prints the nodes that the system nodes must have, with their permissions
wanted() {
	for number in $(seq 0 253); do
		case $((number % 3)) in
		0) echo "/dev/limpet/many$number 600" ;;
		1) echo "/dev/limpet/many$number 640" ;;
		2) echo "/dev/limpet/many$number 666" ;;
		esac
	done
}

# nodes: prints the nodes that exist
nodes() {
	stat -c '%n %a' /dev/limpet/many* 2>/dev/null | sort -t y -k 2n
}

# answers NUMBER: succeeds if the component returns a message
answers() {
	{ printf 'to %s' "$1" >/dev/limpet/many"$1"; } 2>/dev/null &&
		[ "$(dd if=/dev/limpet/many"$1" bs=4096 count=1 2>/dev/null)" = "to $1" ]
}

# stops NAME MS: checks that a system of many channels stops within this time of the guest
stops() {
	before=$(uptime_ms)
	holds "$1: stop" limpet stop
	took=$(($(uptime_ms) - before))
	figure "{\"stop\": \"$1\", \"ms\": $took}"
	check "$1: the stop does not wait for each channel" "it took $took ms" [ $took -lt "$2" ]
}

attach
for round in 1 2; do
	start "$PWD/nodes.limpet"
	equal "$round: all nodes exist" "$(wanted)" "$(nodes)"
	for number in 0 127 128 253; do
		check "$round: channel $number" "$(since_mark | tail -n 2)" within 20 answers $number
	done
	stops "$round: nodes" 200
	equal "$round: no node is left" "" "$(nodes)"
done
start "$PWD/networks.limpet"
equal "all network devices exist" 16 "$(ls /sys/class/net | grep -c many)"
stops networks 200
equal "no network device is left" 0 "$(ls /sys/class/net | grep -c many)"
holds "detach" limpet detach
check "the class is gone" "$(ls /sys/class/limpet 2>&1)" [ ! -e /sys/class/limpet ]
linux_is_well
finish
