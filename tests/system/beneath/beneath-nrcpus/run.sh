#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

refused "attach" "The module refused: .*does not use 1 of the machine's processors.*Boot without nr_cpus=" \
	limpet attach --beneath
equal "the module is not loaded" "" "$(grep '^limpet ' /proc/modules)"
holds "attach in beside mode" limpet attach
holds "detach" limpet detach
linux_is_well
finish
