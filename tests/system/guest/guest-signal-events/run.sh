#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# lines FILE: prints the lines from the first signal on, without parts that differ between runs
lines() {
	sed -n '/^--- SIGUSR1/,$p' "$1" |
		sed -e 's/rt_sigreturn(.*/rt_sigreturn/' -e 's/^\(fork\|clone\|clone3\)(.*/clone/' -e 's, /\* [0-9.]* s \*/,,g' -e 's/si_pid=[0-9]*/si_pid=N/' \
			-e 's/si_[us]time=[0-9]*/si_time=N/g' -e 's/\[[^]]*\]/[]/g' -e 's/= ? ERESTART.*/= ?/' -e 's/  *= / = /' -e 's/getppid() = .*/getppid/' \
			-e 's/\(getpid\|kill\|rt_sigqueueinfo\|wait4\)(.*/\1/'
}

start_probe guest-probe
run_guest "signals" ./events "$(rounds 200 2000)"
run_guest "storms" ./storm "$(rounds 2000 10000)" "$(rounds 5 60)"
# This test is the last one, because a handler thread that never answers takes processor time from this system's guests.
run_guest "exceptions" ./exceptions "$(rounds 20 200)"
end_probe

# Compares the executive that prints with strace of the same program.
strace -o /tmp/strace ./traced 2>/dev/null
attach
start guest-trace
within 10 probe_ready trace || fail "the executive serves guests" "$(limpet guest run true 2>&1)"
limpet guest run --faults ./traced 2>/dev/null
equal "the program ends by its signal" 139 $?
within 10 guests 0
within 10 sh -c "limpet log | grep -q 'killed by SIGSEGV'"
limpet log --plain | sed 's/^trace: //' >/tmp/trace
check "the exceptions are printed" "$(grep exception /tmp/trace)" [ "$(grep -c -- '--- exception' /tmp/trace)" -eq 2 ]
first=$(sed -n 's/^\([0-9]*\) execve("\.\/traced".*/\1/p' /tmp/trace)
grep -v -- '--- exception' /tmp/trace | sed -n "s/^$first //p" >/tmp/own
lines /tmp/strace >/tmp/strace.lines
lines /tmp/own >/tmp/own.lines
check "strace has lines of signals" "$(head -n 3 /tmp/strace)" [ "$(grep -c '^--- SIG' /tmp/strace.lines)" -eq 7 ]
check "the lines are strace's" "$(diff /tmp/strace.lines /tmp/own.lines | head -n 12)" cmp -s /tmp/strace.lines /tmp/own.lines
holds "the system stops" limpet stop
holds "detach" limpet detach
linux_is_well
finish
