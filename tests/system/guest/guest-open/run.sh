#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# begin: starts the system, and waits until its executives serve guests
begin() {
	start "$PWD/choice.limpet"
	for executive in patient eager front; do
		within 10 probe_ready $executive || fail "$executive serves guests" "$(since_mark | tail -3)"
	done
}

# continues NAME EXECUTIVE [OPTION]: checks that a guest continues when its executive has crashed
continues() {
	begin
	timeout -s KILL 60 limpet guest run --executive "$2" $3 -- ./gone
	equal "$1: the guest continues" 42 $?
	holds "$1: the system stops" limpet stop
}

# waits NAME EXECUTIVE [OPTION]: checks that a guest waits when its executive has crashed, until it is killed
waits() {
	begin
	limpet guest run --executive "$2" $3 -- ./gone &
	waiting=$!
	within 20 queued || fail "$1: the guest waits" "$(limpet guest ps)"
	sleep 1
	check "$1: the guest waits" "it has ended" queued
	holds "$1: the guest is killed" limpet guest kill $waiting
	wait $waiting
	equal "$1: the guest got SIGKILL" 137 $?
	within 10 guests 0
	holds "$1: the system stops" limpet stop
}
queued() {
	limpet guest ps | grep "^ *$waiting " | grep -q ' queued '
}
copies() {
	grep -q userfault /proc/$hangs/wchan
}

attach
waits "guests = wait" patient
continues "guests = wait, --open" patient --open
continues "guests = continue" eager
waits "guests = continue, --closed" eager --closed

# The end of the system. Guests sleep until it kills them. The one that survives waits for a writer of its FIFO.
begin
mkfifo /tmp/end
limpet guest run --executive patient -- sleep 1000 &
patient=$!
limpet guest run --executive eager -- cat /tmp/end &
eager=$!
limpet guest run --executive front -- sleep 1000 &
front=$!
within 10 guests 3 || fail "the guests begin" "$(limpet guest ps)"
limpet guest ps --json | tr '}' '\n' >/tmp/guests
for row in patient/false eager/true front/false; do
	check "ps shows which guests are open: $row" "$(cat /tmp/guests)" \
		grep -q "\"executive\": \"${row%/*}\".*\"open\": ${row#*/}," /tmp/guests
done
holds "the system stops while guests run" limpet stop
wait $patient
equal "guests = wait: the end of the system kills the guest" 137 $?
wait $front
equal "guests = continue before guests = wait: the same" 137 $?
check "guests = continue: the guest still waits" "it has ended" kill -0 $eager
timeout 20 sh -c 'echo written >/tmp/end'
wait $eager
equal "guests = continue: the guest survives the system" 0 $?

# The end of the system while an executive copies from and to memory of a guest that Linux cannot make present.
for how in read write; do
	begin
	rm -f /tmp/provide
	limpet guest run --executive eager -- ./hangs $how &
	hangs=$!
	check "$how: the copy waits for the page" "$(cat /proc/$hangs/wchan)" within 20 copies
	holds "$how: the system stops while a copy waits for a page" timeout -s KILL 30 limpet stop
	check "$how: the guest waits for the page" "it has ended" kill -0 $hangs
	touch /tmp/provide
	wait $hangs
	equal "$how: the guest continues when the page comes" 42 $?
done
holds "detach" limpet detach
linux_is_well
finish
