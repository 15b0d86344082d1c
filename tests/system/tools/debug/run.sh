#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/packages.sh

here=/limpet/tests/debug

# inside COMMAND...: runs a command in the root folder with the packages
inside() {
	env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 chroot $root "$@"
}

# debug ARGUMENT...: debugs the component with gdb and these arguments
debug() {
	inside timeout -s KILL 100 limpet debug --symbols $here/symbols debuggee -nx -batch "$@" >/tmp/gdb 2>&1 </dev/null
}

# shows NAME WORDS: checks that gdb's output has a line with the words
shows() {
	check "$1" "$(tail -n 12 /tmp/gdb)" grep -qE -- "$2" /tmp/gdb
}

# beats: waits for two more reports of the component. A breakpoint that remains in its code would make it crash
beats() {
	mark
	within 60 logged 2 'debuggee: [0-9]* beats'
}

# said WORDS: checks that gdb has printed the words
said() {
	grep -qE -- "$1" /tmp/gdb
}

# gdb_starts COMMAND...: starts gdb with these commands, and waits for the breakpoint
gdb_starts() {
	rm -f /tmp/gdb
	inside timeout -s KILL 100 limpet debug --symbols $here/symbols debuggee -nx -batch "$@" >/tmp/gdb 2>&1 </dev/null &
	within 60 said 'hit (Temporary b|B)reakpoint 1, '
}

# gdb_signal SIGNAL: sends the signal to gdb. After KILL it also waits for gdb's end
gdb_signal() {
	for process in $(pidof gdb); do
		kill "-$1" "$process"
	done
	[ "$1" != KILL ] || wait
}

# crashed COUNT: checks that the component has crashed COUNT times
crashed() {
	limpet crash --json | grep -q "\"count\": $1,"
}

# server: prints the id of the process that gdb is connected to
server() {
	for process in $(pidof limpet); do
		! grep -q stdio "/proc/$process/cmdline" || echo "$process"
	done
}

# punctual_after COUNT: checks that the loop's reports since `mark`, except the first COUNT, have no missed period
punctual_after() {
	since_mark | grep '"overruns"' | tail -n +$(($1 + 1)) | grep -vq '"count": 0}' || return 0
	return 1
}

packages_enter
mkdir -p $root/limpet $root/run
cp /usr/bin/limpet $root/usr/bin/
mount --bind /limpet $root/limpet
mount --bind /run $root/run
attach
start $here/debug.limpet
started=$marked
check "the component runs" "$(since_mark | tail -3)" beats
refused "no such component" "has no component 'debugee'. Did you mean 'debuggee'" limpet debug debugee
refused "a component without a supervisor" "'control' has no supervisor, which must stop its threads. Add faults" limpet debug control
refused "without the files for gdb" "limpet-compose --debug" limpet debug --symbols /nowhere debuggee

debug -ex 'info threads' -ex bt -ex 'break beat' -ex continue -ex bt -ex 'print n == beats' -ex 'set var beats = 1000000' \
	-ex 'print beats' -ex stepi -ex next -ex next -ex next -ex 'print local == n + 1' -ex 'set var local = 2000000' -ex 'print local' \
	-ex continue -ex 'print n' -ex 'info threads' -ex delete -ex finish -ex 'set var $rax = 3000000' -ex 'break crash' -ex detach
shows "gdb lists the threads" '^. [12] .*Thread [0-9]+ \(stopped\)'
shows "gdb stops at a breakpoint" 'hit Breakpoint 1, beat \(n=.*\) at .*debuggee.c:[0-9]+'
shows "the backtrace has source lines" '#1 .*component_main \(.*\) at .*debuggee.c:[0-9]+'
shows "gdb shows the thread at the breakpoint" 'Thread [0-9]+ \(breakpoint\) +beat'
shows "gdb writes memory" '^.2 = 1000000$'
shows "gdb steps" '^.3 = 1$'
shows "gdb writes the stack" '^.4 = 2000000$'
shows "the component uses the value that gdb has written" 'hit Breakpoint 1, beat \(n=.*2000000\)'
shows "gdb finishes a function" 'Value returned is .* = 2000001'
shows "gdb detaches" 'detached'
check "the component continues without gdb" "$(since_mark | tail -3)" beats
check "the component uses the register that gdb has written" "$(since_mark | tail -1)" logged 1 'debuggee: 30[0-9]* beats'

gdb_starts -ex 'break beat' -ex continue -ex 'shell sleep 1000'
mark
check "the loop next to it continues" "$(since_mark | tail -3)" within 60 logged 4 '"overruns"'
check "the loop misses no period while the component is stopped" "$(since_mark | grep '"overruns"')" punctual_after 1
gdb_signal KILL
check "the component continues after gdb was killed" "$(since_mark | tail -3)" beats
gdb_starts -ex 'break beat' -ex continue -ex 'shell sleep 1000'
kill -9 "$(server)"
check "the component continues after the command was killed" "$(since_mark | tail -3)" beats
gdb_signal KILL
check "the component has not crashed" "$(limpet crash)" crashed 0

# gdb interrupts the component. Then the component crashes. gdb sees the fault first and passes it on.
gdb_starts -ex 'tbreak beat' -ex continue -ex continue -ex 'set var crash_wanted = 1' -ex continue -ex bt -ex 'print 4711' -ex continue
usleep 500000
gdb_signal INT
check "gdb interrupts the component" "$(tail -n 5 /tmp/gdb)" within 30 said 'received signal SIGINT'
check "gdb stops at a fault" "$(tail -n 5 /tmp/gdb)" within 30 said 'received signal SIGSEGV'
check "the fault is in the function crash" "$(tail -n 5 /tmp/gdb)" within 30 said '#0 .*crash \(address=.*\) at .*debuggee.c:[0-9]+'
check "the fault becomes a crash when gdb continues" "$(limpet crash)" within 30 crashed 1
gdb_signal KILL
check "the component restarts after the crash" "$(since_mark | tail -3)" beats
check "the loop still runs" "$(tail -n 1 $log)" loop_continues
if [ "$LIMPET_MODE" = beneath ]; then # in beside mode Linux can delay the loop while gdb starts
	marked=$started
	check "the loop has missed no period" "$(since_mark | grep '"overruns"' | grep -v '"count": 0}')" punctual_after 0
fi
holds "stops" limpet stop
holds "detaches" limpet detach
linux_is_well
finish
