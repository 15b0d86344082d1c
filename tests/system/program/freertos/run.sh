#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# ended: succeeds if the demo has made all checks, or has stopped
ended() {
	logged 1 '^demo: the scheduler of FreeRTOS has ended$' || logged 1 ' Error' || limpet ps | grep -q ' dead '
}

# Linux gets no share, because the demo's checks of time allow only one or two ticks. Linux runs while the demo is idle.
system=$(rounds freertos freertos-long)
checks=$(cat $system.checks)
attach
start "$PWD/$system.limpet" --linux-share 0
must within $((60 + checks * 60)) ended
equal "no task has found an error" "" "$(since_mark | grep -m 3 Error)"
equal "checks of the demo" "$checks" "$(since_mark | grep -c '^demo: OK: No errors - tick count')"
equal "checks of IntQueue" "$checks" "$(since_mark | grep -c '^demo: IntQueue: OK')"
check "the scheduler ends" "$(since_mark | tail -n 3)" logged 1 '^demo: the scheduler of FreeRTOS has ended$'
tasks=$(since_mark | awk '/IntQueue: OK/ { n = $(NF - 1) } END { print n + 0 }')
figure "{\"suite\": \"system\", \"case\": \"freertos\", \"tasks\": $tasks}"
equal "no thread died" "" "$(limpet ps | awk '/THREAD OF/ { t = 1 } t && / dead /')"
holds "stop" limpet stop

# FreeRTOS's own POSIX port. Its tasks and its tick are threads of a program, and the idle task computes.
start "$PWD/freertos-posix.limpet"
within 60 logged 1 '^tasks: exit status'
check "POSIX port: the receiver gets all numbers" "$(since_mark | tail -n 3)" \
	logged 1 '^tasks: 200 numbers, 0 wrong, not before their time$'
check "POSIX port: the program ends" "$(since_mark | tail -n 3)" logged 1 '^tasks: exit status 0$'
holds "POSIX port: stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
