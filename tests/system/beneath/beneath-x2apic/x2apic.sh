# SPDX-License-Identifier: GPL-2.0
# Checks that run in both Linuxes.
. /limpet/restart.sh

# x2apic DEVICE: checks that Linux uses x2APIC, and this device for its timer
x2apic() {
	check "Linux uses x2APIC" "$(dmesg | grep -i apic | head)" \
		sh -c 'dmesg | grep -q "APIC routing to:* .*x2apic"'
	equal "its timer" "$1" "$(cat /sys/devices/system/clockevents/clockevent0/current_device)"
}

sent() {
	awk '/RES:|CAL:|TLB:/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n }' /proc/interrupts
}

# interrupted NAME: checks timers, and interrupts between processors
interrupted() {
	timers "$1"
	before=$(sent)
	for try in $(seq 5); do # a slow machine may send few in 2 s
		holds "$1: load" stress-ng --quiet --cpu "$LIMPET_CPUS" --vm 1 --vm-bytes 32M --fork 2 \
			--switch 1 --timer 1 --pipe 1 --timeout 2
		[ "$LIMPET_CPUS" -gt 1 ] && [ "$(sent)" -le $((before + 10)) ] || break
	done
	[ "$LIMPET_CPUS" -eq 1 ] || check "$1: its CPUs interrupt each other" "$(sent) after $before" \
		[ "$(sent)" -gt $((before + 10)) ]
}
