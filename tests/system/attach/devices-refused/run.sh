#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

here=/limpet/tests/devices-refused
attach
if [ "$LIMPET_MODE" = beneath ]; then
	refused "Linux's interrupt" 'driver: Linux uses interrupt 9, for acpi' limpet run $here/line.limpet
	refused "no PCI function" 'driver: There is no PCI function 0000:00:1e.0' \
		limpet run $here/function.limpet
else
	for system in line function ports; do
		refused "$system" 'Component driver has .*. Components can have devices only in beneath mode' \
			limpet run $here/$system.limpet
		refused "$system, past the command" \
			'Component 3 has .*, which only beneath mode can give' \
			$here/load $here/$system.limpet
	done
fi
check "nothing is loaded" "$(limpet ps 2>&1)" nothing_loaded
linux_is_well
holds "detach" limpet detach
finish
