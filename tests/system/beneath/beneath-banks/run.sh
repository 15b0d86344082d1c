#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

of=/sys/module/banks/parameters

# polled NAME: checks that Linux's own code reads the status of each bank without a fault
polled() {
	for cpu in $(seq 0 $((LIMPET_CPUS - 1))); do
		holds "$1: CPU $cpu polls" taskset $((1 << cpu)) sh -c "echo 1 >$of/poll"
		equal "$1: banks that CPU $cpu has read" "$(cat $of/banks)" "$(cat $of/polled)"
	done
}

must insmod /limpet/banks.ko
equal "registers of banks that the bare processor refuses" 0 "$(cat $of/refused)"
polled "on the bare processor"
must rmmod banks
attach
start control
must insmod /limpet/banks.ko
equal "beneath: registers of banks that are refused" 0 "$(cat $of/refused)"
equal "beneath: registers after the last bank that can be read" 0 "$(cat $of/beyond)"
equal "beneath: registers that can enable an SMI" 0 "$(cat $of/interrupts)"
polled "beneath"
continues "the loop continues after that"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
