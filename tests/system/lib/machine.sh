# SPDX-License-Identifier: GPL-2.0
# Functions for properties with a virtual machine of KVM, the program `machine` of kvm-beside. Include it after system.sh.

# machine_rounds: prints the current number of the machine's rounds of system calls
machine_rounds() {
	cat /tmp/machine 2>/dev/null || echo 0
}
machine_past() {
	[ "$(machine_rounds)" -gt "$1" ]
}
# machine_continues NAME: checks that the virtual machine runs guest code and returns to Linux
machine_continues() {
	if within 30 machine_past $(($(machine_rounds) + 20)); then
		pass "$1"
	else
		fail "$1" "rounds: $(machine_rounds); $(cat /tmp/words)"
	fi
}
# machine_is_guest, machine_is_released: succeed if `limpet guest ps` lists the virtual machine, or not
machine_is_guest() {
	limpet guest ps | grep -q machine
}
machine_is_released() {
	! machine_is_guest
}
