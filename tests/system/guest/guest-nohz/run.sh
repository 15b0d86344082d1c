#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

equal "CPU 1 has no periodic tick" 1 "$(cat /sys/devices/system/cpu/nohz_full)"
start_probe guest-probe --cpus 1
run_guest "registers" ./registers guest 200
run_guest "answers" ./answers
run_guest "waits" ./waits 500
run_guest "births" ./births 2
run_guest "kills" ./kills 2 90
run_guest "delivery" ./delivery 40
run_guest "pages" ./pages 1 1
end_probe
attach
holds "components' time is guest time there" ./own $images/busy.limpet account 700 1
holds "detach again" limpet detach
finish
