#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# refusals NAME: checks that systems with executives are refused
refusals() {
	refused "$1: an executive" "guest-count: Component count is an executive\. Linux programs can be its guests only in \
beside mode\. Run .limpet detach., then .limpet attach.\.$" limpet run $images/guest-count.limpet
	equal "$1: the exit status" 1 "$(limpet run $images/guest-count.limpet >/dev/null 2>&1; echo $?)"
	refused "$1: with --adopt" 'Component count is an executive' limpet run $images/guest-count.limpet --adopt
	refused "$1: with --foreground" 'Component count is an executive' limpet run $images/guest-count.limpet --foreground
	refused "$1: executives that stack" 'guest-stack: Component trace is an executive|guest-stack: Component sandbox is an executive' \
		limpet run $images/guest-stack.limpet
}

attach
if [ "$LIMPET_MODE" = beneath ]; then
	dmesg -c >/dev/null
	refusals "no system runs"
	check "nothing is loaded" "$(limpet ps 2>&1)" nothing_loaded
	equal "no host process was started" "" "$(ps | grep '[l]impet-host')"
	equal "Linux's log has no line of it" "" "$(dmesg | grep -i limpet)"
	check "no log was started" "$(ls $log)" [ ! -e $log ]
	start loop
	check "a system without executives runs" "$(since_mark | tail -2)" loop_continues
	refusals "a system runs"
	check "it continues" "$(since_mark | tail -2)" loop_continues
	refused "there are no guests" '.' limpet guest run true
else
	start guest-count
	holds "a system with an executive runs" within 10 probe_ready count
	within 10 guests 0
fi
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
