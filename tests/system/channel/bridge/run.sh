#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. ./bridge.sh

# far: runs a command on the other host, a network namespace that a pair of Ethernet devices connects.
far() {
	ip netns exec far "$@"
}
ip() {
	/usr/bin/ip "$@"
}

must ip netns add far
must ip link add near0 type veth peer name far0
must ip link set far0 netns far
must ip address add 10.9.0.1/24 dev near0
must ip link set near0 up
must far ip address add 10.9.0.2/24 dev far0
must far ip link set far0 up
must far ip link set lo up

# In beside mode the component can miss a period while Linux handles the packets of DDS. At most 19 may be missed.
missed='1?[0-9]'
bridge_start
each_arrives $(rounds 4000 60000) $(rounds 120 300)
check "1,000 messages arrive a second" "$rate a second" fast_enough
subscriber_restarts
system_restarts
bridge_end
must limpet stop
must limpet detach
finish
