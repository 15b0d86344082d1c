#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Causes one fault in each Linux. The number of its turn is the seed.
. /limpet/deaths.sh
deaths_continue || deaths_end beneath-faults

grep -E ' _(stext|etext|sdata|edata)$' /proc/kallsyms >/tmp/symbols

# symbol NAME: prints the symbol's address
symbol() {
	echo "0x$(sed -n "s/ [a-zA-Z] $1\$//p" /tmp/symbols)"
}

must insmod /limpet/fault.ko text="$(symbol _stext)" text_size=$(($(symbol _etext) - $(symbol _stext))) \
	data="$(symbol _sdata)" data_size=$(($(symbol _edata) - $(symbol _sdata)))
echo 1500 >/sys/module/fault/parameters/limit
echo "{\"seed\": $turn}" >/dev/verdict
drain
echo "$turn" >/sys/module/fault/parameters/fault &
while true; do # uses many parts of the kernel
	find /proc /sys -name '[a-z]*' -maxdepth 4 | head -c 20000 >/tmp/found
	dmesg | gzip >/tmp/dmesg.gz
	mount -t tmpfs tmp /mnt && umount /mnt
done >/dev/null 2>&1
