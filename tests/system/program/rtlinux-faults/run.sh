#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# loaded IMAGE: runs a system, and waits until its modules are loaded
loaded() {
	start "$PWD/$1.limpet"
	check "$1 is loaded" "$(since_mark | tail -n 5)" within 20 logged "$2" 'module is loaded$'
}

# died WORDS: succeeds if a thread of faulty is dead and the last fault of faulty has these words
died() {
	limpet ps >/tmp/ps && grep ' faulty ' /tmp/ps | grep -q ' dead' && grep ' faulty ' /tmp/ps | grep -q "$1"
}

# dies LETTER WORDS: executes a defect, which must stop the thread
dies() {
	printf "$1" >/dev/rtf0
	check "defect $1: its thread is dead" "$(limpet ps; since_mark | tail -n 3)" within 20 died "$2"
}

must limpet attach
for defect in "d:divide error" "j:address 0x12345678" "r:write of unmapped" "w:write of unmapped"; do
	loaded faulty 1
	dies "${defect%%:*}" "${defect#*:}"
	holds "defect ${defect%%:*}: stop" limpet stop
done

loaded faulty 1
printf o >/dev/rtf0
check "overruns end" "$(since_mark | tail -n 3)" within 20 logged 1 '^faulty: overruns end, in their time$'
printf f >/dev/rtf0
within 20 logged 1 '^faulty: defect f$'
timers "an endless loop does not take Linux's time"
holds "an endless loop: stop" limpet stop

loaded together 2
printf x >/dev/rtf1
equal "modules share a buffer" kept "$(dd if=/dev/rtf2 bs=4 count=1 2>/dev/null)"
dies w "write of unmapped"
printf xyz >/dev/rtf1
equal "the other module works, and the buffer is kept" keptkeptkept "$(dd if=/dev/rtf2 bs=4 count=3 2>/dev/null)"
holds "together: stop" limpet stop

check "no system is left" "$(limpet ps)" nothing_loaded
holds "detach" limpet detach
linux_is_well
finish
