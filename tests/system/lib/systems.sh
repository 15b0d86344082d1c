# SPDX-License-Identifier: GPL-2.0
# Functions for several systems at a time. A system has an id, a log, and a host process.

# of ID: the log of the system with this id is the one that the functions of system.sh read
of() {
	log=/run/limpet/log
	[ "$1" = 0 ] || log=$log@$1
}

# on ID NAME: continues for the system with this id
on() {
	of "$1"
	export LIMPET_SYSTEM="$1"
	continues "$2"
	unset LIMPET_SYSTEM
}

# id_of PID: the id of the system with this host process
id_of() {
	limpet ps | grep "host process $1," | sed 's/.*(system \([0-9]*\)).*/\1/; /running/s/.*/0/'
}

# launch IMAGE [OPTION...]: starts a system; `id` is its id, and its log is looked at
launch() {
	start "$@"
	id=$(id_of "$host_pid")
	of "$id"
	mark
}

# runs COUNT: whether COUNT systems run
runs() {
	[ "$(limpet ps | grep -c ' running for ')" -eq "$1" ]
}
