#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The Linuxes after it; why it was started says which this is. `finish` counts the verdicts of all.
. /limpet/restart.sh

# The layer is there, and the system, which nobody started here.
mark
must limpet attach --beneath
check "attach finds the layer" "$said" [ "${said#*was started by Limpet}" != "$said" ]
why=$(limpet ps | sed -n 's/^Linux was started again \([0-9]*\) times; the last time since /\1 /p')
case $why in
"1 it panicked")
	unharmed "a panic"
	echo b >/proc/sysrq-trigger
	;;
"2 it reset the machine")
	unharmed "a reset"
	pack
	must limpet reload-linux --force /limpet/vmlinuz /tmp/initrd
	;;
"3 it asked for that")
	unharmed "reload-linux"
	verdicts=$((verdicts * 4 - 1)) # the first had no layer to find
	;;
*)
	fail "why this Linux was started" "$(limpet ps | head -n 2)"
	;;
esac
finish
echo '{"end": "beneath-restart", "status": 0}' >/dev/verdict
