#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says NAME LINE: checks that the program has logged exactly this line
says() {
	check "$1" "$(since_mark | tail -n 5)" logged 1 "^$2\$"
}

# ended SECONDS: waits until the program has ended
ended() {
	within "$1" logged 1 ': (exit status|ended by signal)'
}

# clean: checks that the program found no error and did not fault. Page faults that mem repaired do not count
clean() {
	equal "$1: nothing is wrong" "" "$(since_mark | grep -E '^[a-z0-9]*: wrong: |[1-9][0-9]* wrong' | head -3)"
	equal "$1: its thread did not die" "" "$(limpet ps | awk -v name="$1" '/THREAD OF/ { t = 1 } t && / dead / && $3 == name')"
	holds "$1: stop" limpet stop
}

must limpet attach
before=$(date +%s)
start "$PWD/hello.limpet"
check "hello ends" "$(since_mark)" ended 30
now=$(since_mark | sed -n 's/^hello: clock: //p')
check "the real time is Linux's" "$before $now $(date +%s)" test "$now" -ge "$before" -a "$now" -le "$(date +%s)"
says "arguments" 'hello: hello, 3 arguments: \[one\] \[two\] \[three and four, and more words than the 39 bytes of one argument\]'
says "environment" 'hello: GREETING is good morning = hello, in more than the 39 bytes of one argument'
says "allocation" 'hello: malloc done'
says "the ramdisk" 'hello: ramdisk says good morning'
says "files" 'hello: files done'
says "exceptions" 'hello: exceptions done'
says "processes" 'hello: processes done'
for call in '57 of Linux (fork)' '58 of Linux (vfork)' '59 of Linux (execve)' '247 of Linux (waitid)'; do
	equal "the reason of call $call is in the log" 1 \
		"$(since_mark | grep -c "^hello: system call $call is not served, the program gets ENOSYS: there is one process")"
done
# posix_spawn(), popen() and system() call clone(), which is served for threads
equal "the reason of call 56 is in the log" 1 \
	"$(since_mark | grep -c '^hello: system call 56 of Linux (clone) is not served in this form, the program gets ENOSYS: there is one process')"
equal "a fault without a handler ends the program" "faulty" "$(limpet ps | awk '/THREAD OF/ { t = 1 } t && / dead / { print $3 }')"
says "floating point, no HOME" 'hello: sqrt\(2\) = 1.414213562373095, no HOME'
equal "a call that is not served is said once" 1 "$(since_mark | grep -c 'system call 444 of Linux (landlock_create_ruleset) is not served, the program gets ENOSYS')"
equal "a refused use of a call is said once" 1 "$(since_mark | grep -c 'system call 157 of Linux (prctl) is not served in this form, the program gets EINVAL: ')"
says "exit status" 'hello: exit status 7'
clean hello

start "$PWD/threads.limpet"
check "threads ends" "$(since_mark | tail -n 5)" ended 60
for part in 'mutexes done' 'threads come and go' 'conditions done' 'inheritance: order lhm' 'none: order mlh' \
	'cancellation done' 'timers done' 'pipes done' 'periods done, latest [0-9]* ns' 'threads: 0 wrong' 'exit status 0'; do
	says "threads: $part" "threads: $part"
done
clean threads

# same NAME LINE: checks that the program prints the same on Linux, down to its last line
same() {
	"./$1" >/tmp/on.linux
	start "$PWD/$1.limpet"
	check "$1 ends" "$(since_mark | tail -n 5)" within 60 logged 1 "^$1: (exit status|ended by signal)"
	since_mark | sed -n "s/^$1: //p" | grep -v '^exit status' >/tmp/on.limpet
	check "$1 prints all lines on Linux" "$(tail -n 3 /tmp/on.linux)" grep -q "^$2\$" /tmp/on.linux
	equal "$1: the results are those of Linux" "" "$(diff /tmp/on.linux /tmp/on.limpet | head -n 8)"
}

same same 'last: 39'
clean same

same sockets 'done'
check "a program without the import ends" "$(since_mark | tail -n 5)" within 30 logged 1 '^alone: exit status 1$'
check "a program without the import" "$(since_mark | grep '^alone: ')" logged 1 \
	'^alone: socket: Address family not supported by protocol$'
check "the reason is in the log" "$(since_mark | grep '^alone: ')" logged 1 \
	'^alone: system call 41 of Linux \(socket\) is not served in this form, the program gets EAFNOSUPPORT: '
clean sockets

# A component has LLVM's C++ library, and Linux GCC's.
same cpp 'static 1 is destroyed'
says "C++ exit status" 'cpp: exit status 0'
for instance in uncaught in-thread; do
	check "$instance ends" "$(since_mark | tail -n 5)" within 60 logged 1 "^$instance: ended by signal 6"
	check "$instance: the exception's type and text" "$(since_mark | grep "^$instance")" logged 1 \
		"^$instance: libc\+\+abi: terminating .* uncaught exception of type parts::Failure: not caught"
done
clean cpp

start "$PWD/bzip2.limpet"
check "bzip2 ends" "$(since_mark)" ended 120
says "bzip2's own test" 'bzip2: bzip2: 6 of 6 right'
says "bzip2's exit status" 'bzip2: exit status 0'
clean bzip2

# Fields: thread, processor, number of periods, minimum, mean and maximum in nanoseconds.
figures='T: 0 \( *[0-9]+\) A: 0 C: *1000 Min: *[0-9]+ Avg: *[0-9]+\.[0-9]+ Max: *[0-9]+ '
start jitter
check "jitterdebugger ends" "$(since_mark | tail -n 5)" ended 60
check "jitterdebugger's figures" "$(since_mark | tail -n 5)" logged 1 "^jitter: $figures"
says "jitterdebugger's exit status" 'jitter: exit status 0'
clean jitter

# Lua prints the same for these scripts on Linux.
start posix
check "lua ends" "$(since_mark | tail -n 5)" ended 120
for line in 'fib: 17711' 'sort: 310570 to 2147139625' 'nbody: -0.185633' 'spectral: 1.274097' 'trees: 5080 and 1023' \
	'fannkuch: 10 of 720' 'strings: limpet=400 rock=800 wave=800' 'checks: right'; do
	says "lua ${line%%:*}" "lua: $line"
done
says "all scripts" 'lua: scripts: 8, wrong: 0, memory: [0-9]* KiB'
clean lua
holds "detach" limpet detach
linux_is_well
finish
