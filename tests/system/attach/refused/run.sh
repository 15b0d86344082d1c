#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

attached() {
	grep -q '^limpet ' /proc/modules
}

must limpet attach
refused "attach again" 'attached already' limpet attach
for system in loop busy; do
	start $system --linux-share 400
	continues "$system runs"

	refused "detach under $system" "A system is running \\(host process $host_pid\\). Run .limpet stop. first" \
		limpet detach
	refused "rmmod under $system" 'in use|busy|temporarily unavailable' rmmod limpet
	check "$system: still attached" "the module is gone" attached
	continues "$system continues after detach was refused"

	holds "$system: its host process is the same" kill -0 "$host_pid"

	refused "$system: limpet run as user, node's own mode" \
		'/dev/limpet/control: The command needs the capability CAP_SYS_ADMIN. Run it as root.$' \
		./denied user limpet run $images/ping.limpet

	# The node's mode does not protect it.
	chmod 666 /dev/limpet/control
	for who in user capability namespace; do
		holds "$system: not for $who" ./denied $who
		for command in ps stop "run $images/ping.limpet"; do
			refused "$system: limpet $command as $who" 'not permitted|Run .* as root' \
				./denied $who limpet $command
		done
		refused "$system: limpet detach as $who" 'not permitted|as root|has /dev/limpet/control open' \
			./denied $who limpet detach
	done
	chmod 600 /dev/limpet/control
	continues "$system continues after others had no right"
	check "$system: still attached in the end" "the module is gone" attached
	holds "stop $system" limpet stop
	equal "stop $system: message" "stopped $system" "$said"
	holds "stop without a system" limpet stop
	equal "stop without a system: message" "No system runs." "$said"
done
start busy
holds "detach --stop" limpet detach --stop
check "it is gone" "$(cat /proc/modules)" eval '! attached'
check "its host process is gone" "$(ps)" within 20 eval '! kill -0 "$host_pid" 2>/dev/null'
holds "detach again" limpet detach
equal "detach again: message" "Limpet is not attached." "$said"
refused "run without attach" 'attach' limpet run $images/ping.limpet
holds "attach after all that" limpet attach
start ping
check "ping is right" "$(since_mark | tail -3)" within 20 logged 1 'ping: done'
holds "detach" limpet detach --stop
linux_is_well
finish
