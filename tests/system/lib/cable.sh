# SPDX-License-Identifier: GPL-2.0
# Functions for two machines that a cable connects (tests/harness/cable.py). The near one sends commands to the far one.

# cable_up ADDRESS: sets up this machine's end, and starts the ticks by which the harness compares the machines' times.
cable_up() {
	ip address add "$1/24" dev eth0 && ip link set eth0 up || return
	while usleep 100000; do
		echo '{"tick": 1}' >/dev/verdict
	done &
	ticks=$!
}

# commands_serve: runs the commands that arrive.
commands_serve() {
	exec nc -ll -p 77 -e /bin/sh
}

# far COMMAND...: runs a command on the far machine, and writes its output. Adds a line if it fails.
far() {
	echo "cd $PWD && { $* 2>&1 || echo \"status \$?\"; }" | nc 10.9.0.2 77
}

# far_answers: checks that the far machine serves commands.
far_answers() {
	[ "$(far echo yes 2>&1)" = yes ]
}
