# SPDX-License-Identifier: GPL-2.0
# For properties of a CPU that Linux keeps offline; has system.sh, too.
. /limpet/system.sh

cpu1=/sys/devices/system/cpu/cpu1/online

# hidden_kept NAME: an NMI wakes CPU 1, which is offline, and it has no more of the hidden memory than another
# CPU: nothing, but for the channels of a system that runs. (One may use another page meanwhile.)
hidden_kept() {
	hidden=$(dmesg | sed -n 's/.*limpet: beneath .* MiB hidden at \(0x[0-9a-f]*\)$/\1/p' | tail -n 1)
	mib=$(dmesg | sed -n 's/.*limpet: beneath .* \([0-9]*\) MiB hidden at .*/\1/p' | tail -n 1)
	equal "$1: CPU 1 is offline" 0 "$(cat $cpu1)"
	must insmod /limpet/wake.ko at="$hidden" pages=$((mib * 256)) cpu=1
	equal "$1: an NMI wakes it" 1 "$(cat /sys/module/wake/parameters/woken)"
	saw=$(cat /sys/module/wake/parameters/seen)
	here=$(cat /sys/module/wake/parameters/here)
	nothing_loaded && equal "$1: hidden pages that Linux sees, and writes" 0,0 "$here"
	check "$1: hidden pages that it sees" "$saw; by CPU 0 ${here%,*}" [ "$saw" -le $((${here%,*} + 1)) ]
	equal "$1: hidden pages that it writes" "${here#*,}" "$(cat /sys/module/wake/parameters/written)"
	must rmmod wake
}

# given_back NAME: detached, CPU 1 is offline as before, and comes online on the bare processor
given_back() {
	equal "$1: CPU 1 is offline as before" 0 "$(cat $cpu1)"
	holds "$1: CPU 1 comes online" sh -c "echo 1 >$cpu1"
	equal "$1: Linux's processors" 2 "$(nproc)"
	holds "$1: its timer wakes there" timeout 20 taskset 2 sleep 0.1
	equal "$1: CPUs that have AMD-V" 2 "$(grep -cw svm /proc/cpuinfo)"
}
