#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# The other host is a network namespace behind a pair of Ethernet devices.
far() {
	ip netns exec far "$@"
}
ip() {
	/usr/bin/ip "$@"
}

# lines FILE COUNT: checks that the file has at least COUNT lines.
lines() {
	[ "$(wc -l <$1)" -ge $2 ]
}

# said WORDS [COUNT]: checks that at least COUNT reports of the bridge contain the words, by default one.
said() {
	[ "$(grep -cE -- "$1" /tmp/bridge.err)" -ge ${2:-1} ]
}

# in_order FILE FIRST LAST: checks that the file has exactly these numbers.
in_order() {
	seq $2 $3 | cmp -s - $1
}

# subscribe FILE COUNT: starts a subscriber on the other host, which writes COUNT numbers to the file.
subscribe() {
	far ./peer take rt/speed $2 >$1 2>&1 &
	subscriber=$!
}

: >/tmp/first
: >/tmp/second
: >/tmp/third

# count COUNT: requests COUNT messages of the component from the other host.
count() {
	far ./peer send-one rt/count $1 >/tmp/asked 2>&1 || fail "a sample is sent" "$(cat /tmp/asked)"
}

must ip netns add far
must ip link add near0 type veth peer name far0
must ip link set far0 netns far
must ip address add 10.9.0.1/24 dev near0
must ip link set near0 up
must far ip address add 10.9.0.2/24 dev far0
must far ip link set far0 up
must far ip link set lo up

must limpet attach
start "$PWD/bridge.limpet"
limpet bridge --json bridge.bridge >/tmp/bridge.out 2>/tmp/bridge.err &
bridge=$!

# 1000 messages a second, for two seconds or a minute
samples=$(rounds 2000 60000)
subscribe /tmp/numbers $samples
count $samples
check "each message arrives" "$(wc -l </tmp/numbers) lines; $(cat /tmp/bridge.err)" \
	within $(rounds 60 300) lines /tmp/numbers $samples
check "the messages are in order" "$(head -3 /tmp/numbers)" in_order /tmp/numbers 0 $((samples - 1))
check "the component always had space" "$(since_mark | tail -2)" \
	within 20 logged 1 "ticker: $samples numbers, 0 without space, 0 periods missed"
wait $subscriber

# The subscriber restarts while messages are sent.
subscribe /tmp/first 300
count 1000
check "the first subscriber gets its messages" "$(wc -l </tmp/first)" within 60 lines /tmp/first 300
wait $subscriber
check "the bridge reports that the subscriber has left" "$(cat /tmp/bridge.err)" \
	within 60 said "rt/speed: 1 subscriber left" 2
sent=$(sed -n 's/.*rt.speed: 1 subscriber left after \([0-9]*\) messages.*/\1/p' /tmp/bridge.err | tail -n 1)
sent=$((sent - samples))
subscribe /tmp/second $((1000 - sent))
check "the next subscriber gets the remaining messages" "$(wc -l </tmp/second) after $sent" \
	within 60 lines /tmp/second $((1000 - sent))
check "only messages in flight are lost" "$(head -1 /tmp/second), $sent sent" in_order /tmp/second $sent 999
wait $subscriber

# The system restarts.
must limpet stop
check "the bridge reports the end of the system" "$(cat /tmp/bridge.err)" within 20 said "speed: .*the system has ended"
start "$PWD/bridge.limpet"
check "the bridge is connected again" "$(tail -n 3 /tmp/bridge.err)" within 20 said "speed: connected again"
subscribe /tmp/third 100
count 100
check "messages of the next system arrive" "$(wc -l </tmp/third)" within 60 lines /tmp/third 100
wait $subscriber

kill $bridge
wait $bridge
equal "the bridge ends without an error" 0 $?
check "no message was refused, and all samples were acknowledged" "$(cat /tmp/bridge.out)" \
	grep -q "\"publish\".*\"messages\": $((samples + 1100)), \"refused\": 0, .*\"acknowledged\": true" /tmp/bridge.out
must limpet stop
must limpet detach
finish
