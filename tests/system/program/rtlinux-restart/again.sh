#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the second Linux, which has not loaded the module.
cd /limpet/tests/rtlinux-restart || exit
. /limpet/system.sh

mark
must limpet attach --beneath --heartbeat 10
equal "Linux was restarted" "1 it panicked" \
	"$(limpet ps | sed -n 's/^Linux was restarted \([0-9]*\) times*, the last time because /\1 /p')"
set -- $(./partner 2>&1)
equal "the partner's next request" 2 "$1"
sleep 1
first=$2
set -- $(./partner 2>&1)
equal "the requests continue" 3 "$1"
check "the periods continued without Linux" "$first periods" [ "$first" -ge 1000 ]
check "the periods continue" "$first, then $2 periods" [ "$2" -gt "$((first + 500))" ]
holds "stop" limpet stop
check "no FIFO is left" "$(ls /dev/rtf*)" eval '! ls /dev/rtf* 2>/dev/null'
linux_is_well
verdicts=$((verdicts + 2)) # adds the verdicts of the first Linux
finish
echo '{"end": "rtlinux-restart", "status": 0}' >/dev/verdict
