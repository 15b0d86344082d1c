# SPDX-License-Identifier: GPL-2.0
# A series of Linuxes while a 1 kHz loop runs. Each passes on its own root file system. In counted runs (COUNTED,
# on the command line of all but the first) each period is checked.
[ -z "$COUNTED" ] || began=$(ticks)
. /limpet/system.sh

max=1000 # maximum lateness of a period in instructions
heartbeat=10	  # seconds; the host of the emulator may be busy
[ -z "$COUNTED" ] || heartbeat=1

# unharmed NAME: checks that this Linux is well, and that its log has no missed or late period of the loop. The harness
# does not watch the console, because the end of a Linux looks like an error
unharmed() {
	equal "Linux has its processors: $1" "$LIMPET_CPUS" "$(nproc)"
	continues "the loop continues after $1"
	linux_is_well
	[ -n "$COUNTED" ] || return
	equal "no period was missed: $1" "" "$(grep '"overruns"' $log | grep -v '"count": 0}')"
	equal "the loop's reports are all there: $1" "" "$(grep 'were dropped' $log)"
	worst=$(sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' $log | sort -n | tail -n 1)
	check "the maximum of $(grep -c '"figure"' $log) reports: $1" "$worst" [ "$worst" -le $max ]
	figure "{\"suite\": \"system\", \"case\": \"restart\", \"reports\": $(grep -c '"figure"' $log), \"max\": $worst}"
}

# away: checks in counted runs the time from a Linux's death to the next one's first program. The reference is the
# machine's reset to the same program, with the firmware. (ticks is the first program.)
away() {
	[ -n "$COUNTED" ] || return
	died=$(limpet log --previous --json | sed -n '1s/.*"ticks": *\([0-9]*\).*/\1/p')
	check "Linux is back soon" "died $died, back $began, a reset takes $RESET" \
		[ $(((began - died) * 10)) -le $((RESET * 13)) ]
	for subject in "limpet $((began - died))" "reset $RESET"; do
		figure "{\"suite\": \"system\", \"case\": \"restart-time\", \"subject\": \"${subject% *}\", \"instructions\": ${subject#* }}"
	done
}

# restarts_begin NAME: runs in the first of several Linuxes of property NAME
restarts_begin() {
	must /limpet/pack /tmp/initrd
	must limpet attach --beneath --heartbeat $heartbeat --kernel /limpet/vmlinuz --initrd /tmp/initrd --append \
		"limpet.run=/limpet/tests/$1/again.sh LIMPET_MODE=beneath LIMPET_CPUS=$LIMPET_CPUS COUNTED=$COUNTED RESET=$began"
	rm /tmp/initrd
	start restart
	unharmed "nothing"
	sysrq c
}

# restarts_continue NAME: runs the steps of the later Linuxes. The reason of the start identifies each
restarts_continue() {
	# The layer and the system exist, although this Linux did not start them.
	mark
	must limpet attach --beneath --heartbeat $heartbeat
	check "attach finds the layer" "$said" [ "${said#*Limpet started this Linux}" != "$said" ]
	case $(limpet ps | sed -n 's/^Linux was restarted \([0-9]*\) times*, the last time because /\1 /p') in
	"1 it panicked")
		unharmed "a panic"
		away
		limpet log --previous >/tmp/previous 2>&1
		check "the dead Linux's log" "$(tail -n 3 /tmp/previous)" \
			grep -q 'sysrq: Trigger a crash' /tmp/previous
		check "from its beginning" "$(head -n 9 /tmp/previous)" \
			grep -q '0.000000. Linux version' /tmp/previous
		sysrq b
		;;
	"2 it reset the machine")
		unharmed "a reset"
		must /limpet/pack /tmp/initrd
		must limpet reload-linux --force /limpet/vmlinuz /tmp/initrd
		;;
	"3 it requested the restart")
		unharmed "reload-linux"
		if [ "$LIMPET_CPUS" -eq 1 ]; then # silence is tested on one CPU only
			must insmod /limpet/harm.ko
			echo 1 >/sys/module/harm/parameters/silent
		fi
		# `done` counts the checks of all Linuxes. The first has no layer to find, and one has more checks.
		verdicts=$((verdicts * 4 - 1 + 2))
		;;
	"4 it sent no heartbeat")
		unharmed "silence"
		verdicts=$((verdicts * 5 - 1 + 3))
		;;
	*)
		fail "why this Linux was started" "$(limpet ps | head -n 2)"
		;;
	esac
	finish
	echo "{\"end\": \"$1\", \"status\": 0}" >/dev/verdict
}
