#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

# Makes the files of the programs rules, policies and race. No policy allows a file in /srv. Only that of guest-sandbox
# allows the file hide
files_make() {
	rm -rf /tmp/race /srv/race
	mkdir -p /tmp/race/mine /srv/race
	printf o >/tmp/race/open
	printf o >/tmp/race/open2
	printf h >/tmp/race/hide
	printf h >/srv/race/secret
	cp /bin/busybox /srv/race/program
	ln -s /srv/race /tmp/race/outward
	dd if=/dev/zero of=/tmp/race/both bs=4096 count=1 2>/dev/null
}

# stopped: stops the system when its guests have ended
stopped() {
	within 10 guests 0
	check "no guest is left" "$(limpet guest ps)" guests 0
	holds "the system stops" limpet stop
}

# serves EXECUTIVE: succeeds if a program runs to its end
serves() {
	limpet guest run --executive "$1" -- ./policies none >/dev/null 2>&1
}

# sandboxed NAME COMMAND...: runs a program of lib/guest.h as a guest of the executive $executive
sandboxed() {
	sandboxed_name=$1
	shift
	judged "$sandboxed_name" limpet guest run --executive $executive -- "$@"
}

had_srv=$(ls -d /srv 2>/dev/null)
files_make
lo=$(cat /sys/class/net/lo/flags)
ip link set lo up
attach

judged "without Limpet" ./rules plain
files_make
executive=sandbox
start guest-sandbox
within 10 probe_ready sandbox || fail "the executive serves guests" "$(since_mark | tail -3)"
sandboxed "guest-sandbox" ./rules
for line in "refused open" "refused connect 192.0.2.1 port 7001" "refused bind /srv/race/socket" "killed for ptrace"; do
	check "the log has a line: $line" "$(since_mark | tail -n 3)" within 10 logged 1 "$line"
done
limpet guest run --executive sandbox -- busybox sh -c 'echo a >/tmp/race/a; echo b >/srv/race/b; cat /srv/race/secret' \
	>/tmp/out 2>&1
check "a shell: a permitted file" "$(cat /tmp/out)" [ "$(cat /tmp/race/a)" = a ]
check "a shell: a refused file" "$(cat /tmp/out)" [ ! -e /srv/race/b ]
equal "a shell: both refusals" 2 "$(grep -c 'Operation not permitted' /tmp/out)"
limpet guest run --executive sandbox -- /srv/race/program true 2>/tmp/out
check "a program that may not be executed" "$(cat /tmp/out)" grep -q 'Operation not permitted' /tmp/out
stopped

files_make
start "$PWD/strict.limpet"
for executive in ports deadly; do
	within 10 serves $executive || fail "$executive serves guests" "$(since_mark | tail -3)"
	sandboxed "$executive.toml" ./policies $executive
done

# The races. The other process is not a guest, so it is on another CPU if there is one.
executive=ports
count=$(rounds 5000 100000)
limit=$(rounds 100 240)
./race flip /tmp/race/both &
flips=$!
judged "without Limpet" ./race plain /tmp/race/both 0
sandboxed "another process changes arguments" ./race guest /tmp/race/both $count
kill $flips
wait $flips 2>/dev/null
sandboxed "another thread changes arguments" ./race thread /tmp/race/both $count
stopped
holds "detach" limpet detach
linux_is_well
rm -rf /srv/race
[ -n "$had_srv" ] || rmdir /srv
[ $((lo & 1)) -eq 1 ] || ip link set lo down
finish
