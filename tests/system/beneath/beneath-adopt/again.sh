#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/tests/beneath-adopt/adopt.sh

verdicts=$BEFORE
must limpet attach --beneath
check "attach finds the system" "$said" [ "${said#*it requested the restart}" != "$said" ]
host --adopt $images/restart.limpet
holds "a new host process replaces the one of attach" within 20 hosted
continues "the system of the last Linux continues"
kill "$host_pid"
ends "SIGTERM stops the system" 0 "$host_pid"
holds "no system runs" nothing_loaded
holds "detach --unless-reload detaches" limpet detach --stop --unless-reload
check "it has detached" "$said" [ "${said##*detached}" = "" ]
linux_is_well
finish
echo '{"end": "beneath-adopt", "status": 0}' >/dev/verdict
