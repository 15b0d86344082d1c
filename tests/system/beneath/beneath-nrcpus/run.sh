#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

refused "attach" "refused by the module: .*does not use 1 of the machine's processors.*boot without nr_cpus=" \
	limpet attach --beneath
equal "no module is left" "" "$(grep '^limpet ' /proc/modules)"
holds "attach beside" limpet attach
holds "detach" limpet detach
linux_is_well
finish
