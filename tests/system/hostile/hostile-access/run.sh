#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/lab.sh

equal "Linux is where we look for it" ffffffff81000000 \
	"$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)"
lab_start access
lab_verdicts $(rounds 150 500)
lab_others
# All faults of the two components, and the last fault of the component without a handler.
told=$(sed -n 's/^lab: faults //p' $log)
equal "limpet ps has counted each fault" "$told 1000" \
	"$(limpet ps | awk '/THREAD OF/ { exit } $2 == 100 || $2 == 110 { printf $6 " " }' | sed 's/ $//')"
check "limpet ps reports the last fault" "$(limpet ps | grep ' 110 ')" \
	sh -c "limpet ps | grep -q ' 110 .*write of unmapped address 0x1234567890 at 0x10000000'"
equal "no other component faults" "" \
	"$(limpet ps | awk '/THREAD OF/ { exit } $1 == 0 && $2 != 100 && $2 != 110 && $6 > 0' | head -n 3)"
lab_stop
finish
