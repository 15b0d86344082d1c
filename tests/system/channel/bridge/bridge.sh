# SPDX-License-Identifier: GPL-2.0
# Steps of `limpet bridge` with DDS programs on another host. The property defines `far`, which runs a command there.
. /limpet/system.sh

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
	: >$1
	far ./peer take rt/speed $2 >$1 2>&1 &
	subscriber=$!
}

# count COUNT: requests COUNT messages from the component on the other host.
count() {
	far ./peer send-one rt/count $1 >/tmp/asked 2>&1 && [ ! -s /tmp/asked ] ||
		fail "a sample is sent" "$(cat /tmp/asked)"
}

# bridge_start: attaches Limpet, and starts the system and the bridge.
bridge_start() {
	must limpet attach
	start "$PWD/bridge.limpet"
	: >/tmp/bridge.err
	bridge_run
	messages=0 leavers=0
}

# bridge_run: starts the bridge, and adds its reports to those of the previous one.
bridge_run() {
	limpet bridge --json bridge.bridge >/tmp/bridge.out 2>>/tmp/bridge.err &
	bridge=$!
}

# each_arrives COUNT SECONDS: checks that COUNT messages, sent at 1000 a second, arrive within SECONDS. `missed` is a
# pattern for the number of missed periods, by default 0. Sets `rate` to the messages that arrived in a second of this
# machine's time, after the first ones had arrived.
each_arrives() {
	mark
	subscribe /tmp/numbers $1
	count $1
	within 60 lines /tmp/numbers 1
	early=$(wc -l </tmp/numbers) began=$(uptime_ms)
	within $2 lines /tmp/numbers $1
	rate=$((($1 - early) * 1000 / ($(uptime_ms) - began + 1)))
	check "each message arrives" "$(wc -l </tmp/numbers) lines; $(cat /tmp/bridge.err)" lines /tmp/numbers $1
	check "the messages are in order" "$(head -3 /tmp/numbers)" in_order /tmp/numbers 0 $(($1 - 1))
	check "the component always had space" "$(since_mark | tail -2)" \
		within 20 logged 1 "ticker: $1 numbers, 0 without space, ${missed:-0} periods missed"
	wait $subscriber
	subscriber_left
	messages=$((messages + $1))
}

# fast_enough: succeeds if about 1,000 messages arrived a second. Missed periods lower the rate, and this script notices
# the last message up to 60 ms late.
fast_enough() {
	[ "$rate" -ge 950 ] && [ "$rate" -le 1050 ]
}

# subscriber_left: checks that the bridge reports the end of one more subscriber.
subscriber_left() {
	leavers=$((leavers + 1))
	check "the bridge reports that the subscriber has left" "$(cat /tmp/bridge.err)" \
		within 60 said "rt/speed: 1 subscriber left" $leavers
}

# sent_before: prints how many messages of the last request the bridge had sent when the subscriber left.
sent_before() {
	echo $(($(sed -n 's/.*rt.speed: 1 subscriber left after \([0-9]*\) messages.*/\1/p' /tmp/bridge.err | tail -n 1) - messages))
}

# subscriber_restarts: checks that another subscriber can replace one that leaves while messages are sent.
subscriber_restarts() {
	subscribe /tmp/first 300
	count 1000
	check "the first subscriber gets its messages" "$(wc -l </tmp/first)" within 60 lines /tmp/first 300
	wait $subscriber
	subscriber_left
	sent=$(sent_before)
	subscribe /tmp/second $((1000 - sent))
	check "the next subscriber gets the remaining messages" "$(wc -l </tmp/second) after $sent" \
		within 60 lines /tmp/second $((1000 - sent))
	check "only messages in flight are lost" "$(head -1 /tmp/second), $sent sent" in_order /tmp/second $sent 999
	wait $subscriber
	subscriber_left
	messages=$((messages + 1000))
}

# system_restarts: checks that the bridge waits for the next system.
system_restarts() {
	must limpet stop
	check "the bridge reports the end of the system" "$(cat /tmp/bridge.err)" \
		within 20 said "speed: .*the system has ended"
	start "$PWD/bridge.limpet"
	check "the bridge is connected again" "$(tail -n 3 /tmp/bridge.err)" within 20 said "speed: The channel is connected again"
	subscribe /tmp/third 100
	count 100
	check "messages of the next system arrive" "$(wc -l </tmp/third)" within 60 lines /tmp/third 100
	wait $subscriber
	subscriber_left
	messages=$((messages + 100))
}

# bridge_end: checks that the bridge ends, and has delivered all messages since its start.
bridge_end() {
	kill $bridge
	wait $bridge
	equal "the bridge ends without an error" 0 $?
	check "no message was refused, and all samples were acknowledged" "$(cat /tmp/bridge.out)" \
		grep -q "\"publish\"[^}]*\"messages\": $messages, \"refused\": 0, [^}]*\"acknowledged\": true" /tmp/bridge.out
}
