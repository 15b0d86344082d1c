#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh
. /limpet/packages.sh

here=/limpet/tests/guest-debugger

# inside COMMAND...: runs a command in the root folder with the packages
inside() {
	timeout -s KILL 100 env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 chroot $root "$@" 2>&1 </dev/null
}

# debug PID: attaches gdb, breaks at beat(), steps over a system call, and detaches. Prints the lines that are the same
# in each run
debug() {
	inside gdb -nx -batch -p "$1" -ex 'break beat' -ex continue -ex 'print (long)count > 0' -ex 'x/i $pc' \
		-ex stepi -ex 'x/i $pc' -ex stepi -ex 'x/i $pc' -ex stepi -ex 'x/i $pc' -ex stepi -ex 'x/i $pc' \
		-ex delete -ex finish -ex 'x/i $pc' -ex 'print $rsp' -ex detach >/tmp/debug.all
	sed -n 's/process [0-9]*/process N/g; s/n=[^)]*/n/; /^Breakpoint\|^=>\|^\$\|detached/p' /tmp/debug.all
}

beats() {
	cat "/tmp/beats.$1" 2>/dev/null || echo 0
}
goes_beyond() {
	[ "$(beats "$1")" -gt "$2" ]
}

# debugged NAME COMMAND...: runs the target by the command, and gdb on it twice. Output is in /tmp/debug.NAME
debugged() {
	kind=$1
	shift
	rm -f "/tmp/beats.$kind"
	"$@" $here/target beat "/tmp/beats.$kind" &
	within 20 goes_beyond "$kind" 3 || fail "$kind: the target runs" "$(limpet guest ps)"
	target=$(pidof target)
	debug "$target" >"/tmp/debug.$kind"
	check "$kind: gdb stops it at the breakpoint and detaches" "$(tail -n 5 /tmp/debug.all)" \
		sh -c "grep -q 'Breakpoint 1, .*beat (' /tmp/debug.$kind && grep -q detached /tmp/debug.$kind"
	equal "$kind: gdb steps" "syscall 6" "$(grep -o 'syscall' "/tmp/debug.$kind") $(grep -c '^=>' "/tmp/debug.$kind")"
	at=$(beats "$kind")
	check "$kind: it continues after that" "$at, $(beats "$kind")" within 20 goes_beyond "$kind" $((at + 10))
	debug "$target" >"/tmp/debug.again"
	equal "$kind: gdb again" "$(cat "/tmp/debug.$kind")" "$(cat /tmp/debug.again)"
	kill -9 "$target"
	wait 2>/dev/null
}

# dumped NAME COMMAND...: runs the target by the command until it crashes, and examines its core dump
dumped() {
	kind=$1
	shift
	rm -rf /tmp/core.d
	mkdir -p /tmp/core.d
	(
		cd /tmp/core.d || exit
		ulimit -c unlimited
		exec env -i PATH=/bin:/usr/bin "$@" $here/target crash
	) 2>/dev/null
	equal "$kind: the signal" 139 $?
	check "$kind: a core dump exists" "$(ls /tmp/core.d)" [ -s /tmp/core.d/core ]
	cp /tmp/core.d/core $root/tmp/core
	inside readelf -hlnW /tmp/core | sed 's/description data:.*//' >"/tmp/elf.$kind"
	inside gdb -nx -batch $here/target /tmp/core -ex 'print $_siginfo.si_signo' -ex 'print (long)count' -ex 'info registers rip rsp rdi' \
		-ex 'x/s 0x100000000' -ex bt -ex 'info proc mappings' | sed 's/LWP [0-9]*/LWP N/; s/xstate.[0-9]*//' >"/tmp/gdb.$kind"
}

packages_enter
mkdir $root/limpet
mount --bind /limpet $root/limpet
echo 0 >/proc/sys/kernel/randomize_va_space
echo core >/proc/sys/kernel/core_pattern
start_probe guest-probe
guest() {
	limpet guest run --executive probe -- "$@"
}
debugged plain env
debugged guest guest
equal "gdb shows of a guest what it shows of a process" "$(cat /tmp/debug.plain)" "$(cat /tmp/debug.guest)"
dumped plain
dumped guest limpet guest run --executive probe --
check "gdb finds the signal, the function and the memory" "$(cat /tmp/gdb.plain)" \
	sh -c 'grep -q SIGSEGV /tmp/gdb.plain && grep -q "#0 .* crash" /tmp/gdb.plain && grep -q "memory of the program" /tmp/gdb.plain'
equal "gdb shows of a guest's core what it shows of another one" "" "$(diff /tmp/gdb.plain /tmp/gdb.guest | head -n 8)"
check "the core has segments and notes" "$(head -n 5 /tmp/elf.plain)" grep -q NT_PRSTATUS /tmp/elf.plain
equal "a guest's core has the segments and notes of another one" "" "$(diff /tmp/elf.plain /tmp/elf.guest | head -n 8)"
end_probe
finish
