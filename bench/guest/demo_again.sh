#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The demo after Linux's panic, in the next Linux. The system has run all the time. Its log has all reports of the loop
# since the last Linux read it: of the periods of the death, the boot, and later.
. /limpet/bench/common.sh

say "another Linux runs: attaching to the layer beneath it"
mark
must limpet attach --beneath >/dev/null
await 60 3 '"figure".*"timer"'
await 60 3 '"histogram"'
timer_reports limpet-restart 1 1000
limpet ps --json | send_as ps
say "done"
