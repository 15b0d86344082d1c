# SPDX-License-Identifier: GPL-2.0
# A Linux dies while a 1 kHz loop runs beneath it. lib/death.py gives the verdict. It reads the components' console in
# the machine's memory, because Linux can no longer report it.
. /limpet/system.sh

# begin: starts the loop, and sets `hidden` to the place of the hidden memory for death.py: MIB "MiB hidden at" ADDRESS
begin() {
	attach
	start loop
	must within 20 logged 1 '"figure"'
	hidden=$(dmesg | sed -n 's/.*limpet: beneath .* \([0-9]* MiB hidden at 0x[0-9a-f]*\)$/\1/p')
	echo "{\"hidden\": \"$hidden\"}" >/dev/verdict
	pass "the loop runs"
	finish
	echo 0 >/proc/sys/kernel/printk # a panic prints many characters, and Linux prints each of them slowly
}
