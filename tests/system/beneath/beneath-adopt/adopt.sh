# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
images=/limpet/images

# host IMAGE [OPTION...]: starts a host process in the foreground, as the unit limpet@NAME does, and sets host_pid
host() {
	mark
	limpet run --foreground "$@" >/tmp/out 2>/tmp/error &
	host_pid=$!
}
# hosted: succeeds if host_pid is the only host process
hosted() {
	[ "$(grep -lx limpet-host /proc/[0-9]*/comm)" = "/proc/$host_pid/comm" ]
}
# serves NAME: checks that the system makes invocations. Without a host process it has no log
serves() {
	before=$(stat_of invocations)
	check "$1" "no invocations after $before" within 20 more_invocations
}
more_invocations() {
	[ "$(stat_of invocations)" -gt "$before" ]
}
# ends NAME STATUS PID: checks the exit status of a host process that is a child of this script
ends() {
	wait "$3"
	equal "$1" "$2" $?
}
