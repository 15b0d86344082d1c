#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Has no systemd: `reboot` is a program that does nothing, and the script does what systemd does.
. /limpet/tests/beneath-adopt/adopt.sh

mkdir -p /tmp/bin
PATH=/tmp/bin:$PATH
# reboot_is STATUS: makes the command `reboot` end with this status, and do nothing
reboot_is() {
	printf '#!/bin/sh\nexit %s\n' "$1" >/tmp/bin/reboot
	chmod +x /tmp/bin/reboot
}

must /limpet/pack /tmp/initrd
must limpet attach --beneath --kernel /limpet/vmlinuz --initrd /tmp/initrd

# --adopt loads the system if no system runs.
host --adopt $images/restart.limpet
holds "--adopt starts a system" within 20 grep -q 'restart runs' /tmp/out
first=$host_pid
refused "a system with another name is not adopted" 'loaded already' limpet run --adopt $images/ping.limpet
refused "no system is adopted without the option" 'loaded already' limpet run $images/restart.limpet
kill -STOP "$first"
refused "a host process that does not end" "host process $first could not be replaced" \
	limpet run --adopt $images/restart.limpet
kill -CONT "$first"
ends "a host process ends when it is replaced" 0 "$first"
check "its log has the reason" "$(tail -n 3 /tmp/out)" \
	grep -q 'another host process replaces this one, and restart continues' /tmp/out
serves "the system continues without a host process"

holds "--adopt without a host process" limpet run --adopt $images/restart.limpet
host --adopt $images/restart.limpet
holds "another process becomes the host" within 20 hosted
continues "the loop continues"
holds "its log is copied" within 20 grep -q 'timer of .*: median' /tmp/out

# A reload that fails changes nothing. While one is in progress, SIGTERM and detach leave the system alone.
reboot_is 1
refused "reload-linux without a reboot" 'The command reboot failed' sh -c 'limpet reload-linux >/dev/null'
reboot_is 0
again=/limpet/tests/beneath-adopt/again.sh
left=5 # verdicts of this Linux after the request. The next Linux continues the count
must limpet reload-linux /limpet/vmlinuz /tmp/initrd --append \
	"limpet.run=$again LIMPET_MODE=beneath LIMPET_CPUS=$LIMPET_CPUS BEFORE=$((verdicts + left))"
kill "$host_pid"
ends "SIGTERM ends the host process" 0 "$host_pid"
check "the log has the reason" "$(tail -n 3 /tmp/out)" grep -q 'restarts Linux, and restart continues' /tmp/out
holds "detach --unless-reload" limpet detach --stop --unless-reload
check "it has not detached" "$said" [ "${said#Limpet is not detached}" != "$said" ]
serves "the loop continues although Linux ends"
busybox reboot -f
