#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. ./bridge.sh
. /limpet/cable.sh

# bridge_restarts: ends the bridge by a signal while messages are sent. Another one continues.
bridge_restarts() {
	subscribe /tmp/fourth 3000
	count 3000
	usleep 500000
	kill $bridge
	wait $bridge
	equal "the bridge ends while messages are sent" 0 $?
	passed=$(sed -n 's/.*"publish"[^}]*"messages": \([0-9]*\),.*/\1/p' /tmp/bridge.out)
	check "messages were left" "$passed of $((messages + 3000))" [ "${passed:-0}" -lt $((messages + 3000)) ]
	bridge_run
	check "the next bridge sends the remaining messages" "$(wc -l </tmp/fourth); $(cat /tmp/bridge.err)" \
		within 60 lines /tmp/fourth 3000
	check "no message is lost" "$(head -1 /tmp/fourth)" in_order /tmp/fourth 0 2999
	wait $subscriber
	subscriber_left
	messages=$((messages + 3000 - passed))
}

# machine_crashes: switches the other machine off while messages are sent, and boots it. DDS detects this when the
# subscriber's lease has ended.
machine_crashes() {
	subscribe /tmp/none 0
	count 15000
	usleep 500000
	echo '{"far": "off"}' >/dev/verdict
	subscriber_left
	sent=$(sent_before)
	check "messages are left" "$sent sent" [ $sent -lt 14000 ]
	kill $subscriber
	check "the machine boots" "" within 300 far_answers
	subscribe /tmp/fifth 1000
	check "messages arrive again" "$(wc -l </tmp/fifth) after $sent" within 60 lines /tmp/fifth 1000
	check "the first is the one after the report" "$(head -1 /tmp/fifth), $sent sent" \
		in_order /tmp/fifth $sent $((sent + 999))
	wait $subscriber
}

cable_up 10.9.0.1
check "the other machine answers" "" within 300 far_answers
bridge_start
each_arrives $(rounds 4000 60000) $(rounds 120 600)
check "1,000 messages arrive a second, for $(rounds 4 60) seconds" "$rate a second" [ "$rate" -ge 990 ]
figure "{\"suite\": \"system\", \"case\": \"bridge-machines\", \"messages\": $messages, \"rate\": $rate}"
subscriber_restarts
bridge_restarts
system_restarts
bridge_end
bridge_run
messages=0
machine_crashes
kill $bridge
wait $bridge
equal "the bridge ends without an error after the crash" 0 $?
kill $ticks
echo '{"far": "end"}' >/dev/verdict
must limpet stop
must limpet detach
finish
