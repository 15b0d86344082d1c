#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Linux dies while a 1 kHz loop runs, and no other Linux follows. dead.py reads the loop's later reports.
. /limpet/bench/common.sh

attach
system_start outlive
await 60 1 'a period of'
hidden=$(dmesg | sed -n 's/.*limpet: beneath .* \([0-9]* MiB hidden at 0x[0-9a-f]*\)$/\1/p')
echo "{\"hidden\": \"$hidden\"}" | send
say "Linux panics, and stays dead: a system's 1 kHz loop"
echo c >/proc/sysrq-trigger
