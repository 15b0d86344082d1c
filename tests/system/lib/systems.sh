# SPDX-License-Identifier: GPL-2.0
# Functions for several systems at a time. A system has an id, a log, and a host process.

# of ID: makes the functions of system.sh read the log of the system with this id
of() {
	log=/run/limpet/log
	[ "$1" = 0 ] || log=$log@$1
}

# on ID NAME: runs `continues NAME` for the system with this id
on() {
	of "$1"
	export LIMPET_SYSTEM="$1"
	continues "$2"
	unset LIMPET_SYSTEM
}

# id_of PID: prints the id of the system with this host process
id_of() {
	limpet ps | grep "host process $1," | sed 's/.*(system \([0-9]*\)).*/\1/; /running/s/.*/0/'
}

# launch IMAGE [OPTION...]: starts a system, sets `id` to its id, and selects its log
launch() {
	start "$@"
	id=$(id_of "$host_pid")
	of "$id"
	mark
}

# runs COUNT: succeeds if COUNT systems run
runs() {
	[ "$(limpet ps | grep -c ' running for ')" -eq "$1" ]
}
