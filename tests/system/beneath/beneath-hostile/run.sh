#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Linux may die of its acts here. Only drive.py's checks afterwards count.
. /limpet/death.sh

acts=2000
# The layer's own part of the hidden memory, of which Linux can read only the first page.
own=$(((16 << 20) - 4096))

begin
insmod /limpet/hostile.ko at=$((${hidden##* } + 4096)) size=$own
for seed in $(seq "$(part 2 50)"); do
	echo "$seed $acts" >/sys/module/hostile/parameters/act
	echo "{\"acted\": $seed, \"seen\": $(cat /sys/module/hostile/parameters/seen)}" >/dev/verdict
done
limpet ps >/tmp/ps 2>&1
echo "{\"acted\": \"all\", \"ps\": $(quoted "$(cat /tmp/ps)")}" >/dev/verdict
echo "last words" >/dev/console
echo 7 >/sys/module/hostile/parameters/rage
echo "Linux lives on" >/dev/console
