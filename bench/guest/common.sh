# SPDX-License-Identifier: GPL-2.0
# Functions and settings of all suites' scripts in the guest. Figures and histograms go to /dev/verdict unchanged.

. /limpet/bench/mode.sh
. /limpet/bench/steps.sh
limpet_log=/run/limpet/log
harm=/sys/module/harm/parameters/off
window=1000	# periods in one report of the component control
windows=10	# reports that make up a figure

# rounds FEW MANY: the number of rounds: FEW normally, MANY with LIMPET_LONG
rounds() {
	if [ -n "$long" ]; then echo "$2"; else echo "$1"; fi
}

# The port stays open after this script has ended, because the last close loses data in transit.
exec 3>/dev/verdict
setsid sleep 1000000 &

# The kernel's work after boot is done by now.
sleep 5

# sent: bytes that have left through the verdict port
sent() {
	sed -n 's/^1:.* tx:\([0-9]*\).*/\1/p' /proc/tty/driver/serial
}

# send: copies its input to the verdict port. Waits, without being idle, until the data have left, because the idle time
# of a counted guest passes faster than this machine can read.
send() {
	cat >/tmp/send
	target=$(($(sent) + $(wc -c </tmp/send)))
	cat /tmp/send >&3
	for try in $(seq 300); do
		[ "$(sent)" -ge $target ] && return
	done
}

# send_as KEY: sends the input object as the value of a key
send_as() {
	echo "{\"$1\": $(cat)}" | send
}

# measure COMMAND...: sends the output of a command
measure() {
	must "$@" >/tmp/measured
	send </tmp/measured
}

# mark: marks the end of the log; marked: prints the log since the mark
mark() {
	marked_at=$(cat $limpet_log 2>/dev/null | wc -l)
}
marked() {
	tail -n +$((marked_at + 1)) $limpet_log
}

# await SECONDS COUNT WORDS: waits until the log since the mark has the words COUNT times
await() {
	for try in $(seq $(($1 * 5))); do
		[ "$(marked | grep -c "$3")" -ge "$2" ] && return
		sleep 0.2
	done
	say "no '$3' in the log within $1 s"
	marked | tail -5
	exit 1
}

# load_start, load_stop: a mix of work for Linux that does not vary: methods that stress-ng would change every few
# seconds are fixed. khugepaged is stopped, because it sometimes copies 2 MiB in one piece (2 million counted
# instructions).
load_start() {
	cpus=$(nproc)
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	stress-ng --quiet --cpu "$cpus" --vm "$cpus" --vm-bytes 32M --vm-keep \
		--vm-method write64 --fork "$cpus" --pipe "$cpus" &
	load=$!
	sleep 0.5
}
load_stop() {
	must kill $load
	wait $load 2>/dev/null
	sleep 0.2
}

# irqs_off: Linux spins with interrupts disabled, 100 ms at a time, without end
irqs_off() {
	while :; do
		echo 100 >$harm
		sleep 0.05
	done
}

# system_start IMAGE [OPTION...]: runs a system and sets the mark at its start
system_start() {
	mark
	image=$1
	shift
	must limpet run "/limpet/images/$image.limpet" "$@" >/dev/null
}

# timer_linux SUBJECT: Linux's own timer latency, measured in the same way as by the component control
timer_linux() {
	must cyclictest -m -p 90 -t 1 -a 0 -i 1000 -l $((windows * window)) -N -q -h 100000 \
		--histfile=/tmp/histogram >/dev/null
	measure cyclic "$1" /tmp/histogram
}

# timer_limpet SUBJECT: waits for the next reports and sends all but the first, so that their periods lie in this phase.
# No process polls for them meanwhile.
timer_limpet() {
	mark
	sleep $((windows + 1)).3
	await 60 $((windows + 1)) '"figure".*"timer"'
	await 60 $((windows + 1)) '"histogram"'
	timer_reports "$1" 2 $((windows + 1))
}

# timer_reports SUBJECT FIRST LAST: sends the loop's reports FIRST to LAST since the mark. It must not be part of a
# pipe: a failure would end only that part.
timer_reports() {
	marked | sed -n 's/^[^{]*\({.*"timer".*}\)$/\1/p' | awk -v first="$2" -v last="$3" '
		/"figure"/ { number++ }
		number >= first && number <= last' >/tmp/reports
	[ "$mode" = beside ] || must no_period_missed
	sed "s/\"subject\": \"limpet\"/\"subject\": \"$1\"/" /tmp/reports | send
}

# no_period_missed: checks these reports
no_period_missed() {
	grep -q '"overruns"' /tmp/reports && ! grep '"overruns"' /tmp/reports | grep -v '"count": 0}'
}

# measured SUBJECT: sends the figures of the component ping, with this subject
measured() {
	await 60 1 'ping: done'
	marked | sed -n 's/^[^{]*\({"figure".*"subject": "limpet",.*}\)$/\1/p' |
		sed "s/\"subject\": \"limpet\"/\"subject\": \"$1\"/" | send
}
