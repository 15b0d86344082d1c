#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

of=/sys/module/nmis/parameters
sends=$(rounds 20 500)

# masked NAME: checks that NMIs wait while Linux handles an NMI, and that none is lost
masked() {
	must insmod /limpet/nmis.ko
	holds "$1: NMIs are sent" sh -c "echo $sends >$of/send"
	equal "$1: NMIs that were handled" "$sends" "$(cat $of/first)"
	equal "$1: NMIs that were sent while one was handled" "$sends" "$(cat $of/second)"
	equal "$1: handlers that an NMI interrupted" 0 "$(cat $of/nested)"
	must rmmod nmis
}

masked "on the bare processor"
attach
masked "beneath"
start control
masked "with a system"
continues "the loop continues after that"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
