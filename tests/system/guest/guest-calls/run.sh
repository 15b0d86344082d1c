#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

own=494,499,500,501,502,503,504,505,506,507,508,509,510
count=$(rounds 300 3000)
start_probe guest-probe
judged "not a guest" ./registers plain "$count"
run_guest "registers" ./registers guest "$count"
run_guest "answers" ./answers
run_guest "copies" ./copies
run_guest "chains" ./chains "$(rounds 1000 20000)"
run_guest "waits" ./waits "$(rounds 1000 20000)"
judged "not a guest" ./uring plain
run_guest "io_uring" ./uring
run_guest "numbers, all calls" ./numbers seen
judged "numbers, the numbered calls" limpet guest run --executive probe --calls '!rest' ./numbers unseen
judged "filter" limpet guest run --executive probe --calls $own,getuid ./filters
judged "not a guest" ./legacy plain
judged "32-bit calls, --calls !rest" limpet guest run --executive probe --calls '!rest' ./legacy clear
judged "32-bit calls, --calls all" limpet guest run --executive probe ./legacy set
end_probe
finish
