#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Each Linux plays its seeds, until it is dead: the first of them is its number.
. /limpet/deaths.sh
deaths_go_on || deaths_end beneath-hostile-restarts
hidden_find
insmod /limpet/hostile.ko at="$hidden_at" size="$hidden_size"
echo 4000 >/sys/module/hostile/parameters/limit
echo "{\"seed\": $number}" >/dev/verdict
echo "$number 300" >/sys/module/hostile/parameters/wild
echo "{\"played\": $number, \"seen\": $(cat /sys/module/hostile/parameters/seen)}" >/dev/verdict
echo "$number" >/sys/module/hostile/parameters/rage
