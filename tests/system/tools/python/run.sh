#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# verdicts FILE: writes a verdict for each line of the program
verdicts() {
	while read -r word what; do
		if [ "$word" = pass ]; then pass "$what"; else fail "${what%%:*}" "$what"; fi
	done <"$1"
}

if ! python3 ./use.py detached >/tmp/said 2>&1; then fail "without Limpet" "$(tail -n 3 /tmp/said)"; fi
verdicts /tmp/said
attach
if ! python3 ./use.py attached "$PWD/python.limpet" >/tmp/said 2>&1; then fail "with Limpet" "$(tail -n 3 /tmp/said)"; fi
verdicts /tmp/said
check "the program has stopped its system" "$(limpet ps 2>&1)" nothing_loaded
holds "detaches" limpet detach
linux_is_well
finish
