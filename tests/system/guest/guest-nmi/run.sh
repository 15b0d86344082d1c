#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

start_probe guest-probe
limpet guest run --executive probe ./spins /tmp/spins.stop >/tmp/spins &
spins=$!
within 20 guests 1
nmi_each "$(rounds 40 400)"
touch /tmp/spins.stop
wait $spins
equal "the guest ends well" 0 $?
equal "its results were right" "" "$(grep '^fail' /tmp/spins)"
run_guest "registers afterwards" ./registers guest 50
end_probe
finish
