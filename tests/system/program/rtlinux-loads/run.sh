#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# devices: lists the nodes that a system adds
devices() {
	ls /dev/rtf* 2>/dev/null
	ls /dev/limpet /sys/class/limpet
}

# load_once: loads the module, and stops the system while its partner has the FIFOs and the buffer open
load_once() {
	mark
	limpet run "$PWD/busy.limpet" >/dev/null && within 20 logged 1 'module is loaded$' || return 1
	: >/tmp/partner # the shell opens it later, and it has the last partner's text
	./partner >/tmp/partner 2>&1 &
	partner=$!
	within 20 grep -q ready /tmp/partner && limpet stop >/dev/null && wait $partner
}

must limpet attach
before=$(devices)
load_once || fail "the first load" "$(cat /tmp/partner; since_mark | tail -n 3)"
equal "no device is left" "$before" "$(devices)"
memory_mark
count=$(part 5 1000)
loads=0
while [ $loads -lt "$count" ] && load_once && [ "$(devices)" = "$before" ]; do
	loads=$((loads + 1))
done
equal "each of $count loads succeeds, and leaves no device" "$count" $loads
[ $loads -eq "$count" ] || fail "the last load" "$(cat /tmp/partner; since_mark | tail -n 3; devices | head -n 20)"
memory_kept "$count"
check "no system is left" "$(limpet ps)" nothing_loaded
equal "no process is left" "" "$(pidof partner)"
holds "detach" limpet detach
linux_is_well
finish
