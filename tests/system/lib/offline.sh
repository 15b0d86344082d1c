# SPDX-License-Identifier: GPL-2.0
# Functions for properties of a CPU that Linux keeps offline. The file includes system.sh.
. /limpet/system.sh

cpu1=/sys/devices/system/cpu/cpu1/online

# hidden_kept NAME: wakes the offline CPU 1 by an NMI. CPU 1 must access no more hidden memory than another CPU. Another
# CPU can access no hidden memory without a system, and with one only its channels. A channel may start to use another
# page in the meantime.
hidden_kept() {
	hidden=$(dmesg | sed -n 's/.*limpet: beneath .* MiB hidden at \(0x[0-9a-f]*\)$/\1/p' | tail -n 1)
	mib=$(dmesg | sed -n 's/.*limpet: beneath .* \([0-9]*\) MiB hidden at .*/\1/p' | tail -n 1)
	equal "$1: CPU 1 is offline" 0 "$(cat $cpu1)"
	must insmod /limpet/wake.ko at="$hidden" pages=$((mib * 256)) cpu=1
	equal "$1: an NMI wakes CPU 1" 1 "$(cat /sys/module/wake/parameters/woken)"
	saw=$(cat /sys/module/wake/parameters/seen)
	here=$(cat /sys/module/wake/parameters/here)
	nothing_loaded && equal "$1: hidden pages that CPU 0 reads and writes" 0,0 "$here"
	check "$1: hidden pages that CPU 1 reads" "$saw; by CPU 0 ${here%,*}" [ "$saw" -le $((${here%,*} + 1)) ]
	equal "$1: hidden pages that CPU 1 writes" "${here#*,}" "$(cat /sys/module/wake/parameters/written)"
	must rmmod wake
}

# given_back NAME: checks after detach that CPU 1 is still offline, and can come online without the layer
given_back() {
	equal "$1: CPU 1 is offline as before" 0 "$(cat $cpu1)"
	holds "$1: CPU 1 comes online" sh -c "echo 1 >$cpu1"
	works "$1"
}

# works NAME: checks that Linux runs on CPU 1 without the layer
works() {
	equal "$1: Linux's processors" 2 "$(nproc)"
	holds "$1: a timer expires on CPU 1" timeout 20 taskset 2 sleep 0.1
	equal "$1: CPUs that have AMD-V" 2 "$(grep -cw svm /proc/cpuinfo)"
}
