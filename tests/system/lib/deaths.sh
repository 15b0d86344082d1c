# SPDX-License-Identifier: GPL-2.0
# A series of Linuxes, each of which kills itself while a 1 kHz loop runs. Each first reports its state for
# lib/deaths.py. The test's again.sh is the first program of all but the first Linux. When it ends, Linux panics.

# deaths_begin NAME COUNT HEARTBEAT: runs in the first Linux of property NAME. COUNT others follow, and each of them
# dies. A Linux that is silent for HEARTBEAT seconds is dead. Turns are seeds. Cases of the property have different
# turns
deaths_begin() {
	. /limpet/system.sh
	mv /limpet/vmlinuz /tmp
	must /limpet/pack /tmp/initrd
	must limpet attach --beneath --heartbeat "$3" --kernel /tmp/vmlinuz --initrd /tmp/initrd --append \
		"rdinit=/limpet/tests/$1/again.sh LINUXES=$(($2 + 1)) TURNS=$((LIMPET_CASE * $2)) HEARTBEAT=$3 \
LIMPET_CPUS=$LIMPET_CPUS quiet loglevel=0"
	rm /tmp/initrd /tmp/vmlinuz
	start forever
	continues "the loop runs"
	sysrq c
}

# wild_play SECONDS: plays the acts of hostile.ko, one seed after the other on alternating CPUs, until Linux dies. Linux
# panics after SECONDS
wild_play() {
	hidden_find
	must insmod /limpet/hostile.ko at="$hidden_at" size="$hidden_size"
	echo $(($1 * 1000)) >/sys/module/hostile/parameters/limit
	for seed in $(seq $((turn * 100)) $((turn * 100 + 19))); do
		echo "{\"seed\": $seed}" >/dev/verdict
		drain
		taskset -p $((1 << seed % LIMPET_CPUS)) $$ >/dev/null
		echo "$seed 15" >/sys/module/hostile/parameters/wild
	done
	echo "$turn" >/sys/module/hostile/parameters/rage
}

# hidden_find: finds 15 MiB of the layer's own hidden memory, which lies directly before that of systems (64 MiB)
hidden_find() {
	for range in $(sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) : Reserved$/\1:\2/p' /proc/iomem); do
		[ $((0x${range#*:} - 0x${range%:*})) -lt $((80 << 20)) ] ||
			hidden_at=$((0x${range#*:} + 1 - (79 << 20)))
	done
	hidden_size=$((15 << 20))
}

# deaths_continue: runs in each Linux after the first. Sets `number`, which counts them, and `turn`, which differs in
# all cases of the property. Succeeds if this Linux must die
deaths_continue() {
	export PATH=/sbin:/usr/sbin:/bin:/usr/bin HOME=/root LIMPET_MODE=beneath
	mount -t proc proc /proc
	mount -t sysfs sys /sys
	mount -t devtmpfs dev /dev
	stty -F /dev/ttyS1 raw -echo
	ln -sf /dev/ttyS1 /dev/verdict
	. /limpet/system.sh
	mark
	must limpet attach --beneath --heartbeat "$HEARTBEAT"
	within 60 logged 2 '"figure".*"timer"'
	found=$?
	set -- $(limpet ps | sed -n 's/^Linux was restarted \([0-9]*\) times*, the last time because \(.*\)/\1 \2/p')
	number=$1 turn=$((TURNS + $1))
	shift
	previous=$(limpet log --previous 2>&1)
	reader=$(pidof limpet)
	[ "$number" -ge "$LINUXES" ] || kill -STOP $reader # the next Linux must get the loop's reports from now on
	echo "{\"linux\": $number, \"why\": \"$*\", \"continues\": $found, \"processors\": $(nproc), \
\"boot\": $(quoted "$([ "$(nproc)" -eq "$LIMPET_CPUS" ] || dmesg | grep -i smp | tail -n 8 | head -c 600)"), \
\"memory\": $(kilobytes MemTotal), \"frames\": $(limpet stat | awk '/frames free/ { print $1; exit }'), \
\"reports\": $(grep -c '"figure"' $log), \"dropped\": $(grep -c 'were dropped' $log), \
\"missed\": $(grep '"overruns"' $log | grep -vc '"count": 0}'), \
\"worst\": $(sed -n 's/.*"figure".*"max": \([0-9]*\).*/\1/p' $log | sort -n | tail -n 1), \
\"previous\": $(quoted "$(echo "$previous" | head -n 1)"), \
\"last\": $(quoted "$(echo "$previous" | tail -n 1)")}" >/dev/verdict
	drain
	[ "$number" -lt "$LINUXES" ]
}

# deaths_end NAME: gives the verdict in the last Linux, and powers the machine off
deaths_end() {
	echo "{\"linuxes\": $number}" >/dev/verdict
	verdicts=1 # the verdict of the first Linux
	continues "the loop continues after $number Linuxes"
	finish
	echo "{\"end\": \"$1\", \"status\": 0}" >/dev/verdict
	poweroff -f
}
