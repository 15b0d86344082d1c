#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# output NAME COMMAND...: stores the command's output and exit status in /tmp/out.NAME. The command has its own folder
output() {
	out=/tmp/out.$1
	shift
	rm -rf /tmp/work
	mkdir /tmp/work
	(cd /tmp/work && timeout -s KILL 200 "$@") >"$out" 2>&1 </dev/null
	echo "status $?" >>"$out"
}

# jobs NAME [COMMAND...]: runs all jobs with the command before them
jobs() {
	kind=$1
	shift
	for job in shell.bash calc.pl build.bash trace.bash; do
		case $job in
		*.bash) by=/usr/bin/bash ;;
		*) by=/usr/bin/perl ;;
		esac
		output "$job.$kind" "$@" $by "$here/$job"
	done
	output "signal.$kind" "$@" /usr/bin/bash -c 'kill -SEGV $$'
	output "exit.$kind" "$@" /usr/bin/bash -c 'exit 77'
	output "none.$kind" "$@" /usr/bin/env /no/such/program
}

# jobs_equal NAME: checks that their output is the same as without Limpet
jobs_equal() {
	for job in shell.bash calc.pl build.bash trace.bash signal exit none; do
		check "$job, $1" "$(diff /tmp/out.$job.plain "/tmp/out.$job.$1" | head -n 8)" \
			cmp -s /tmp/out.$job.plain "/tmp/out.$job.$1"
	done
}

here=$PWD
export BUILDS=$(rounds 1 3)
start_probe guest-probe
jobs plain
check "the jobs work without Limpet" "$(tail -n 3 /tmp/out.*.plain)" \
	sh -c '[ "$(cat /tmp/out.shell.bash.plain /tmp/out.calc.pl.plain /tmp/out.build.bash.plain /tmp/out.trace.bash.plain |
		grep -c "^status 0$")" -eq 4 ]'
for mode in "1 passed" "2 results" "0 served"; do
	limpet guest run --executive probe ./mode "${mode%% *}" || fail "mode $mode" "status $?"
	jobs "${mode#* }" limpet guest run --executive probe --
	jobs_equal "${mode#* }"
done
run_guest "calls" ./checked 5000

# A tracer outside of Limpet sees the calls of a guest.
limpet guest run --executive probe ./mode 1
strace -f -o /tmp/traced limpet guest run --executive probe -- /usr/bin/cat "$here/shell.bash" >/tmp/copy
equal "strace of a guest: it ends well" 0 $?
check "strace of a guest: output" "$(head -n 3 /tmp/copy)" cmp -s /tmp/copy "$here/shell.bash"
check "strace of a guest: calls" "$(tail -n 5 /tmp/traced)" grep -q 'write(1,' /tmp/traced
end_probe
finish
