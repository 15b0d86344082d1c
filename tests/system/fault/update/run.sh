#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# update NAME [OPTION...]: replaces counter with its build in the image NAME
update() {
	image=$1
	shift
	limpet update "$PWD/$image.limpet" counter "$@"
}

# counts BUILD UPDATES: waits until the build runs, with a state that UPDATES updates have kept
counts() {
	within 20 logged 2 "^counter: build $1 count [0-9]* since [0-9]* updates $2\$"
}

# runs NAME BUILD UPDATES: writes the verdict NAME of counts
runs() {
	if counts "$2" "$3"; then pass "$1"; else fail "$1" "$(since_mark | grep -v figure | tail -4)"; fi
}

# last_count: prints the last count that counter has reported
last_count() {
	sed -n 's/^counter: build [0-9]* count \([0-9]*\) .*/\1/p' $log | tail -n 1
}

# asked WHAT: prints the number before WHAT in the last report of asker
asked() {
	sed -n "s/^asker: .* \([0-9]*\) $1.*/\1/p" $log | tail -n 1
}

attach
refused "no system" "No system runs. Start one with .limpet run IMAGE." update second
start "$PWD/update.limpet"
runs "the first build" 1 0
equal "only root can use its channel" "600 0" "$(stat -c '%a %u' /dev/limpet/update)"

updates=0
while [ $updates -lt "$(rounds 3 40)" ]; do
	updates=$((updates + 1))
	build=$((updates % 2 + 1))
	[ $build = 1 ] && next=update || next=second
	before=$(last_count)
	mark
	if said=$(update $next 2>&1) && echo "$said" | grep -q 'no calls for [0-9.]* µs, 8 bytes of state kept'; then
		runs "update $updates: build $build" $build $updates
	else
		fail "update $updates" "$said"
	fi
	since=$(since_mark | sed -n "s/^counter: build $build .* since \([0-9]*\) .*/\1/p" | tail -n 1)
	if [ "${since:-0}" -ge "$before" ]; then
		pass "update $updates: its state is kept"
	else
		fail "update $updates: its state is kept" "$before, then $since"
	fi
done

refused "an unknown component" "System 'update' has no component 'countr'. Did you mean 'counter'" limpet update "$PWD/second.limpet" countr
refused "another system" "The image is of system 'call', and 'update' runs" limpet update $images/call.limpet counter
refused "no supervisor" "Component 'control' has no supervisor" limpet update "$PWD/second.limpet" control
refused "nothing reserved" "Component 'asker' has no memory for another build. Add update" limpet update "$PWD/second.limpet" asker
refused "no image" "not a regular file" limpet update /tmp counter
head -c 5000 "$PWD/second.limpet" >/tmp/short.limpet
refused "a truncated image" "Compose it again" limpet update /tmp/short.limpet counter
refused "other interfaces" "exports or imports other interfaces than the running build. The old build runs" update more
refused "another state" "state of another version or size than the running build. The old build runs. --fresh" update state
refused "a build that cannot be initialised" "could not be initialised: not enough frames.*The old build was restarted" update fail
mark
runs "the old build runs" $build $updates
if [ "$(last_count)" -gt "$before" ]; then
	pass "its state is kept"
else
	fail "its state is kept" "$before, $(last_count)"
fi

equal "the count never decreased" 0 "$(asked less)"
holds "a build that will crash" update crash
if within 20 logged 1 'counter: invalid .*from its build before the update'; then
	pass "the previous build replaces it"
else
	fail "the previous build replaces it" "$(since_mark | grep -v figure | tail -4)"
fi
mark
runs "the previous build runs" $build $updates

sleep 1 </dev/limpet/update &
refused "another process" "\(sleep\) has /dev/limpet/update open. End that process" update second
wait
round=0
while [ $round -lt "$(rounds 3 100)" ]; do
	round=$((round + 1))
	update second >/dev/null 2>&1 &
	usleep $((round * 1000))
	kill -9 $! 2>/dev/null
	wait
done
mark
if within 20 logged 2 '^counter: build [12] '; then
	pass "it runs after killed commands"
else
	fail "it runs after killed commands" "$(since_mark | tail -4)"
fi
within 5 update second --json >/tmp/json
if grep -qx '{"component": "counter", "closed_us": [0-9.]*, "state_bytes": 8}' /tmp/json; then
	pass "an update after killed commands"
else
	fail "an update after killed commands" "$(cat /tmp/json; since_mark | tail -4)"
fi
equal "the client got only answers or ECRASH" 0 "$(asked wrong)"
mark
if said=$(update state --fresh 2>&1) && counts 5 0; then pass "a fresh state"; else fail "a fresh state" "$said"; fi

within 20 logged 2 'control: .*"overruns"' || fail "the loop reports" "$(since_mark | tail -3)"
missed=$(grep '"overruns"' $log | grep -vc '"count": 0')
equal "the loop missed no period" 0 "$missed"
holds "stops" limpet stop
holds "detaches" limpet detach
finish
