#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
cd /limpet/tests/beneath-x2apic || exit
. ./x2apic.sh

mark
must limpet attach --beneath
check "attach finds the layer" "$said" [ "${said#*Limpet started this Linux}" != "$said" ]
unharmed "a panic"
x2apic lapic-deadline
interrupted "again"
linux_is_well
verdicts=$((verdicts + BEFORE))
finish
echo '{"end": "beneath-x2apic", "status": 0}' >/dev/verdict
