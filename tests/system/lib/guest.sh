# SPDX-License-Identifier: GPL-2.0
# Functions for properties about guests. Include it after system.sh.

# guests COUNT: succeeds if the system has this number of guests
guests() {
	[ "$(limpet guest ps 2>/dev/null | grep -c '^ *[0-9]')" -eq "$1" ]
}

# probe_ready: succeeds if the executive serves guests
probe_ready() {
	limpet guest run --executive "${1:-probe}" --calls none true 2>/dev/null
}

# start_probe [IMAGE [OPTION...]]: attaches, and runs a system with the executive `probe`
start_probe() {
	attach
	start "$@"
	within 10 probe_ready || fail "the executive serves guests" "$(limpet guest run true 2>&1; since_mark | tail -3)"
}

# judged NAME COMMAND...: runs a program of lib/guest.h for at most 100 s, and makes a verdict of each of its lines
judged() {
	held=$1
	shift
	timeout -s KILL "${limit:-100}" "$@" >/tmp/judged 2>/tmp/judged.errors </dev/null
	ended=$?
	while read -r word rest; do
		case $word in
		pass) pass "$held: $rest" ;;
		fail) fail "$held: ${rest%%: *}" "${rest#*: } $(head -c 300 /tmp/judged.errors)" ;;
		end) ;;
		*) fail "$held: output" "$word $rest" ;;
		esac
	done </tmp/judged
	check "$held: comes to its end" "status $ended: $(tail -n 2 /tmp/judged /tmp/judged.errors)" \
		sh -c '[ "$1" -eq 0 ] && [ "end $(grep -c "^pass\|^fail" /tmp/judged)" = "$(tail -n 1 /tmp/judged)" ]' sh $ended
}

# run_guest NAME COMMAND...: runs the program in the same way as a guest of the probe, which gets all calls
run_guest() {
	guest_name=$1
	shift
	judged "$guest_name" limpet guest run --executive probe -- "$@"
}

# faults: prints the number of faults of all components since the system was started, as the kernel counts them. These
# are faults of memory, exceptions of the processor, and system calls that the kernel does not have
faults() {
	limpet stat | awk '/ faults of components$/ { sum += $1; lines++ } END { print lines ? sum : "unknown" }'
}

# end_probe: checks that no guest remains, that no component has crashed, that the system stops, that Limpet detaches,
# and that Linux is well
end_probe() {
	within 10 guests 0
	check "no guest is left" "$(limpet guest ps)" guests 0
	crashes=$(faults)
	check "no component crashed" "$crashes faults: $(grep -m 3 ' at 0x' $log)" [ "$crashes" = 0 ]
	holds "the system stops" limpet stop
	holds "detach" limpet detach
	linux_is_well
}
