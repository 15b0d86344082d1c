#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

start_probe "$PWD/two.limpet"
within 10 probe_ready other || fail "the other executive serves guests" "$(limpet guest run --executive other true 2>&1)"
refused "no executive is taken by chance" "several executives. Select one" limpet guest run true
refused "the same for a running process" "several executives. Select one" limpet guest attach $$

# The guests of both run at the same time.
limpet guest run --executive other ./calls other 20000 &
other=$!
judged "guests of one" limpet guest run --executive probe ./calls probe 20000
wait $other
equal "guests of the other one" 0 $?
end_probe
finish
