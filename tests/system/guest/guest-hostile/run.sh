#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# witness: starts a guest that is not attacked, and whose calls must stay correct
witness() {
	limpet guest run --executive probe ./witness /tmp/witness.stop &
	witness=$!
	within 20 guests 1 || fail "the witness begins" "$(limpet guest ps)"
}
witness_right() {
	touch /tmp/witness.stop
	wait $witness
	equal "$1: another guest went on" 0 $?
	rm -f /tmp/witness.stop
}

start_probe guest-probe
witness
# Disables rseq, because Linux kills a program whose protection keys deny Linux the area of rseq.
run_guest "keys" env GLIBC_TUNABLES=glibc.pthread.rseq=0 ./keys $(! processor_is_max || echo required)
run_guest "breakpoints" ./breakpoints "$(rounds 8 1)"
run_guest "addresses" ./addresses
witness_right "a guest's memory and processor state"

witness
judged "ioctls" ./ioctls "$(rounds 20000 500000)"
run_guest "ioctls of a guest" ./ioctls "$(rounds 5000 50000)"
limpet guest run --executive probe true || fail "guests begin after bad ioctls" "status $?"
witness_right "ioctls"

# All users may open the device from here on.
chmod 666 /dev/limpet/guest
cp ./privilege /tmp/privilege
chmod 4755 /tmp/privilege
judged "privilege" ./privilege
chmod 600 /dev/limpet/guest
rm /tmp/privilege

witness
run_guest "races" ./races "$(rounds 6 60)"
witness_right "races"
linux_is_well
judged "processors" ./cpus
# Linux prints which programs it moved from a CPU that went offline. That is expected here.
equal "no other complaint of Linux" "" "$(linux_complaints 'BUG|WARNING|Oops|Call Trace')"
dmesg -c >/dev/null
end_probe
finish
