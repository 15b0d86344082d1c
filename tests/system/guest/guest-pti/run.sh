#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

check "page-table isolation is on" "$(cat /sys/devices/system/cpu/vulnerabilities/meltdown)" \
	grep -q PTI /sys/devices/system/cpu/vulnerabilities/meltdown
start_probe guest-probe
run_guest "registers" ./registers guest 200
run_guest "answers" ./answers
run_guest "copies" ./copies
run_guest "births" ./births 2
run_guest "delivery" ./delivery 40
run_guest "pages" ./pages 1 1
run_guest "addresses" ./addresses
judged "not a guest" ./legacy plain
judged "32-bit calls, --calls !rest" limpet guest run --executive probe --calls '!rest' ./legacy clear
judged "32-bit calls, --calls all" limpet guest run --executive probe ./legacy set
end_probe
finish
