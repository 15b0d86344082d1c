#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/network.sh

# The quality of service of all messages is 1, unless the name says otherwise.
user="-h 127.0.0.1 -u plant -P secret -q 1"

# broker: starts the broker and waits until it accepts messages
broker() {
	mosquitto -c /tmp/broker.conf >>/tmp/broker.out 2>&1 &
	broker=$!
	must within 20 mosquitto_pub $user -t ready -n
}

# broker_kill: kills the broker and waits for its end
broker_kill() {
	kill -9 $broker
	wait $broker 2>/dev/null
}

# numbers FILE COUNT: checks that FILE has at least COUNT numbers
numbers() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}

# ask WORD: sends the word to the component, and succeeds if an answer with the word has arrived
ask() {
	mosquitto_pub $user -t plant/in -m "$1"
	grep -qxF -- "$1" /tmp/answer
}

# answered WORD: waits until the component sends the word back. Earlier words can arrive before it
answered() {
	mosquitto_sub $user -t plant/out >/tmp/answer 2>/dev/null &
	subscriber=$!
	within 30 ask "$1"
	status=$?
	kill $subscriber
	wait $subscriber 2>/dev/null
	return $status
}

# in_order FILE: checks that each number is the previous one plus 1
in_order() {
	awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 }' "$1"
}

# follow FILE: starts a subscriber that writes the numbers to FILE
follow() {
	mosquitto_sub $user -t plant/count >"$1" 2>/dev/null &
	follower=$!
}

for name in answer first kept will; do : >/tmp/$name; done
network_plain
ip link set lo up
mosquitto_passwd -c -b /tmp/passwords plant secret >/dev/null 2>&1
cat >/tmp/broker.conf <<CONF
listener 1883
allow_anonymous false
password_file /tmp/passwords
user root
CONF

attach
start "$PWD/broker.limpet"
must network_up limpet0 10.5.0.1/24
check "the component reports that it cannot reach the broker" "$(since_mark)" \
	within 30 logged 1 'mqtt: .*broker 10.5.0.1: it cannot be reached'
sleep 2 # the queue of 16 numbers is full after 1.6 s
broker
check "the component connects with its user" "$(since_mark)" within 30 logged 1 'mqtt: connected to 10.5.0.1'
check "the component reports messages that found no space" "$(since_mark)" within 20 logged 1 'count: [0-9]* messages lost'
equal "each failure is reported once" 1 "$(since_mark | grep -c 'cannot be reached')"
check "the component returns a message" "$(cat /tmp/answer)" answered hello
long=$(seq -s, 200 | cut -c1-256)
check "the component returns a message of 256 bytes" "$(cat /tmp/answer)" answered "$long"
mosquitto_pub $user -t plant/in -m "$long-"
check "the component returns the next message after a longer one" "$(cat /tmp/answer)" answered short

follow /tmp/first
check "numbers arrive" "$(wc -l </tmp/first)" within $(rounds 30 120) numbers /tmp/first $(rounds 20 600)
check "no number is missing or duplicated" "$(cat /tmp/first)" in_order /tmp/first

# The network fails for a moment.
ip link set limpet0 down
sleep 0.7
ip link set limpet0 up
seen=$(wc -l </tmp/first)
check "numbers arrive after the network has failed" "$(tail -n 3 /tmp/first)" within 60 numbers /tmp/first $((seen + 30))
kill $follower
wait $follower 2>/dev/null

# The broker restarts, more often in make test-all.
for round in $(seq $(rounds 1 10)); do
	mark
	broker_kill
	sleep 3 # for 30 numbers
	broker
	check "round $round: the component connects again" "$(since_mark)" within 60 logged 1 'mqtt: connected to'
	check "round $round: it reports the lost messages" "$(since_mark)" within 20 logged 1 'count: [0-9]* messages lost'
	check "round $round: the restarted broker gets messages" "$(cat /tmp/answer)" answered "round $round"
	equal "round $round: it reports them once" 1 "$(since_mark | grep -c 'count: [0-9]* messages lost')"
done
check "the longer message was counted as lost" "$(cat $log)" grep -q 'in: [0-9]* messages lost' $log
check "a later subscriber gets the number that the broker keeps" "$(cat /tmp/kept)" \
	sh -c "mosquitto_sub $user -t plant/count -C 1 -W 20 -F '%r %p' >/tmp/kept && grep -q '^1 [0-9]' /tmp/kept"

must limpet stop
check "the broker publishes the last will" "$(cat /tmp/will)" \
	within 40 sh -c "mosquitto_sub $user -t plant/state -C 1 -W 1 >/tmp/will 2>&1; grep -qx offline /tmp/will"
broker_kill
holds "detaches" limpet detach
linux_is_well
finish
