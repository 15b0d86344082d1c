#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# does NAME LETTER: checks that the module left executes a command, and reports no failed check
does() {
	printf "$2" >/dev/rtf0
	equal "$1" . "$(timeout 30 dd if=/dev/rtf1 bs=1 count=1 2>/dev/null)"
}

must limpet attach
start "$PWD/pair.limpet"
check "both modules are loaded" "$(since_mark | tail -n 5)" within 20 logged 2 'module is loaded$'
check "init_module" "$(since_mark)" logged 1 '^left: init done, 0 wrong$'
does "a FIFO between two threads" i
does "message queues between modules" m
does "a message of another module notifies" n
does "a FIFO and a buffer between modules" b
exec 3<>/dev/rtf2
printf abcdef >&3
equal "a user pair" ABCDEF "$(timeout 30 dd bs=1 count=6 <&3 2>/dev/null)"
exec 3>&-
does "all FIFOs of RTLinux" a
check "64 FIFOs exist at a time" "$(since_mark | tail -n 3)" logged 1 '^left: 58 FIFOs more$'
does "a module crashes" c
check "it is loaded again" "$(since_mark | tail -n 5)" within 20 logged 3 'module is loaded$'
does "queues with the module that was loaded again" m
does "FIFOs with the module that was loaded again" b
does "a module floods" f
equal "nothing is wrong" "" "$(since_mark | grep 'wrong:' | head -5)"
holds "stop" limpet stop
check "no FIFO is left" "$(ls /dev/rtf*)" eval '! ls /dev/rtf* 2>/dev/null'
holds "detach" limpet detach
linux_is_well
finish
