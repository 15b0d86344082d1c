# SPDX-License-Identifier: GPL-2.0
# What the guest's side of each suite uses. Figures and histograms go to /dev/verdict as they are.

. /limpet/bench/mode.sh
. /limpet/bench/steps.sh
limpet_log=/run/limpet/log
harm=/sys/module/harm/parameters/off
window=1000	# periods in one report of the component control
windows=10	# reports that make up a figure

# rounds FEW MANY: how often, as a rule and with LIMPET_LONG
rounds() {
	if [ -n "$long" ]; then echo "$2"; else echo "$1"; fi
}

# Kept open, also when this script has ended: the last close loses what is still on its way.
exec 3>/dev/verdict
setsid sleep 1000000 &

# What a kernel still does after boot is over by now.
sleep 5

# sent: bytes that have left through the verdict port
sent() {
	sed -n 's/^1:.* tx:\([0-9]*\).*/\1/p' /proc/tty/driver/serial
}

# send: what comes in goes to the verdict port. Waits, without being idle, until it has left: the
# idle time of a counted guest passes faster than anyone outside can read.
send() {
	cat >/tmp/send
	target=$(($(sent) + $(wc -c </tmp/send)))
	cat /tmp/send >&3
	for try in $(seq 300); do
		[ "$(sent)" -ge $target ] && return
	done
}

# send_as KEY: the object that comes in, as the value of a key
send_as() {
	echo "{\"$1\": $(cat)}" | send
}

# measure COMMAND...: send what it prints
measure() {
	must "$@" >/tmp/measured
	send </tmp/measured
}

# mark: from here on in the log; marked: what came since
mark() {
	marked_at=$(cat $limpet_log 2>/dev/null | wc -l)
}
marked() {
	tail -n +$((marked_at + 1)) $limpet_log
}

# await SECONDS COUNT WORDS: until the log has had the words so often since the mark
await() {
	for try in $(seq $(($1 * 5))); do
		[ "$(marked | grep -c "$3")" -ge "$2" ] && return
		sleep 0.2
	done
	say "no '$3' in the log within $1 s"
	marked | tail -5
	exit 1
}

# load_start, load_stop: a mix of work for Linux, the same at all times: methods that stress-ng
# would change every few seconds are fixed, and khugepaged, which copies 2 MiB in one piece from
# time to time (2 million counted instructions), does not run.
load_start() {
	cpus=$(nproc)
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	stress-ng --quiet --cpu "$cpus" --vm "$cpus" --vm-bytes 32M --vm-keep \
		--vm-method write64 --fork "$cpus" --pipe "$cpus" &
	load=$!
	sleep 0.5
}
load_stop() {
	kill $load
	wait $load 2>/dev/null
	sleep 0.2
}

# irqs_off: without end, 100 ms at a time, Linux spins with interrupts disabled
irqs_off() {
	while :; do
		echo 100 >$harm
		sleep 0.05
	done
}

# system_start IMAGE [OPTION...]: run one; the mark is at its start
system_start() {
	mark
	image=$1
	shift
	must limpet run "/limpet/images/$image.limpet" "$@" >/dev/null
}

# timer_linux SUBJECT: Linux's own timer latency, as control measures its own
timer_linux() {
	must cyclictest -m -p 90 -t 1 -a 0 -i 1000 -l $((windows * window)) -N -q -h 100000 \
		--histfile=/tmp/histogram >/dev/null
	measure cyclic "$1" /tmp/histogram
}

# timer_limpet SUBJECT: the reports from now on but the first: their periods lie in this phase.
# Nothing runs meanwhile that would look whether they are there.
timer_limpet() {
	mark
	sleep $((windows + 1)).3
	await 60 $((windows + 1)) '"figure".*"timer"'
	await 60 $((windows + 1)) '"histogram"'
	timer_reports "$1" 2 $((windows + 1))
}

# timer_reports SUBJECT FIRST LAST: sends what the loop has told in these of the reports since the mark.
# Never in a pipe: what ends the suite would end that part of the pipe alone.
timer_reports() {
	marked | sed -n 's/^[^{]*\({.*"timer".*}\)$/\1/p' | awk -v first="$2" -v last="$3" '
		/"figure"/ { number++ }
		number >= first && number <= last' >/tmp/reports
	[ "$mode" = beside ] || must no_period_missed
	sed "s/\"subject\": \"limpet\"/\"subject\": \"$1\"/" /tmp/reports | send
}

# no_period_missed: in these reports
no_period_missed() {
	grep -q '"overruns"' /tmp/reports && ! grep '"overruns"' /tmp/reports | grep -v '"count": 0}'
}

# measured SUBJECT: sends the figures of the component ping, with this subject
measured() {
	await 60 1 'ping: done'
	marked | sed -n 's/^[^{]*\({"figure".*"subject": "limpet",.*}\)$/\1/p' |
		sed "s/\"subject\": \"limpet\"/\"subject\": \"$1\"/" | send
}
