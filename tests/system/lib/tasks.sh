# SPDX-License-Identifier: GPL-2.0
# Functions for counted properties that run several programs at the same time. Each program prints one line of numbers.
# Include it after system.sh. `task` of the property starts a program in the background, which begins to compute at
# second `$at`, writes its output to /tmp/out.NAME, and adds its process to $tasks.

# begin NAME: prepares a part of the property with this name
begin() {
	what=$1 at=$(($(cut -d . -f 1 /proc/uptime) + 2)) tasks=
	rm -f /tmp/out.*
}

# done_all: waits for all tasks, which must succeed
done_all() {
	for task in $tasks; do
		wait "$task" || fail "$what: a task ends with status 0" "status $?"
	done
}

# out NAME [FIELD]: prints a field of the task's output, by default the first
out() {
	cut -d ' ' -f "${2:-1}" "/tmp/out.$1"
}

# counted: succeeds if virtual time counts instructions. It does not on the debug kernel, so numbers have no limits there
counted() {
	case $LIMPET_KERNEL in *-debug) false ;; esac
}

# between NAME VALUE MIN MAX: checks a number that depends on time
between() {
	! counted || check "$what: $1" "$2, not $3 to $4" sh -c '[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]' sh "$2" "$3" "$4"
}
