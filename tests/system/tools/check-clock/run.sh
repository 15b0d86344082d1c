#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/check.sh
systems=$images

attach
equal "Linux's clock" hpet "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
check_of healthy --for 300ms
check "the error of the clock" "$(cat /tmp/json)" grep -q '"clock_error_percent": -2[.]9' /tmp/json
limpet check --for 300ms >/tmp/text
check "a sentence about the clock" "$(cat /tmp/text)" grep -qE 'runs 2[.]9[0-9] % slower than Linux measured at its start.* Boot Linux with tsc_early_khz=(1000|999)[0-9]{3}[.]' /tmp/text
named "a slow clock" yes none 0
must limpet detach
finish
