#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# The CPU that executes `limpet stop` ends the system there, and interrupts the component on the other CPU.
attach
for round in $(seq "$(rounds 5 100)"); do
	start "$PWD/barrier.limpet"
	within 60 logged 1 '"timer"' || fail "round $round: the system runs" "$(since_mark | tail -2)"
	ends "round $round: stop" stopped taskset 1 sh -c 'limpet stop && echo stopped'
	ends "round $round: the other CPU runs Linux" there taskset 2 echo there
done
linux_is_well
finish
