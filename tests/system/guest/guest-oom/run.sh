#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/guest.sh

groups=/tmp/groups
group=$groups/memory

# begin: starts the system, and guests of each kind that run or wait. Sets `killed` and `open` to their processes
begin() {
	start "$PWD/choice.limpet"
	for executive in patient eager front; do
		within 10 probe_ready $executive || fail "$what: $executive serves guests" "$(since_mark | tail -3)"
	done
	killed= open= started=0
	for does in calls waits; do
		guest "$does" patient && killed="$killed $!"
		guest "$does" patient --open && open="$open $!"
		guest "$does" eager && open="$open $!"
		guest "$does" eager --closed && killed="$killed $!"
	done
	limpet guest run --executive front -- sleep 1000 &
	killed="$killed $!"
	within 20 all_run || fail "$what: the guests run" "$(limpet guest ps)"
}
guest() {
	started=$((started + 1))
	rm -f /tmp/runs.$started
	limpet guest run --executive "$2" $3 -- ./answers "$1" /tmp/runs.$started &
}
all_run() {
	[ "$(ls /tmp/runs.* 2>/dev/null | wc -l)" -eq $started ] && [ "$(limpet guest ps | grep -c ' sleep$')" -eq 1 ]
}

# grow ADJUSTMENT: runs a program that uses more memory than the group may have, until the OOM killer ends it. The OOM
# killer selects it before or after others, as its oom_score_adj says
grow() {
	sh -c "echo 0 >$group/cgroup.procs; echo $1 >/proc/self/oom_score_adj; exec \
		dd if=/dev/zero of=/dev/null bs=64M count=1" 2>/dev/null
}
kills() {
	sed -n 's/^oom_kill //p' $group/memory.events
}

# ended: succeeds if no system runs
ended() {
	! limpet ps >/dev/null 2>&1
}

# guests_end: checks how each guest ends
guests_end() {
	for guest in $killed; do
		wait "$guest"
		equal "$what: a guest that waits for its executive got SIGKILL" 137 $?
	done
	for guest in $open; do
		wait "$guest"
		equal "$what: a guest that continues had right results" 42 $?
	done
}

# outcomes: checks how each guest has ended, and what Linux has logged
outcomes() {
	check "$what: the system ends" "$(limpet ps)" within 20 ended
	ended || limpet stop
	check "$what: the OOM killer has killed the host process" "$(dmesg | grep -i 'killed process')" \
		sh -c "dmesg | grep -qi 'killed process $host_pid (limpet-host)'"
	guests_end
	# The OOM killer itself logs a call trace.
	equal "$what: no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|no longer affine|stall|lockup' | head -3)"
	dmesg -c >/dev/null
}

mkdir -p $groups
must mount -t cgroup2 none $groups
must sh -c "echo +memory >$groups/cgroup.subtree_control && mkdir $group && echo 24M >$group/memory.max"
attach

what="the OOM killer in the group of the host process"
begin
equal "$what: the host process is protected" -1000 "$(cat /proc/$host_pid/oom_score_adj)"
echo "$host_pid" >$group/cgroup.procs
grow 0
equal "$what: the other process of the group was killed" "137 1" "$? $(kills)"
dmesg -c >/dev/null
check "$what: the system runs" "$(limpet ps)" limpet ps
check "$what: all guests run" "$(limpet guest ps)" guests 9
limpet guest run --executive patient -- ./answers calls /tmp/again &
again=$!
within 10 [ -e /tmp/again ] || fail "$what: further guests have right results" "$(limpet guest ps)"

what="a host process that the OOM killer selects in its group"
killed="$killed $again"
echo 1000 >/proc/$host_pid/oom_score_adj
grow -900
outcomes

what="a host process that the OOM killer selects in the machine"
for round in $(seq "$(rounds 2 20)"); do
	begin
	echo 1000 >/proc/$host_pid/oom_score_adj
	echo f >/proc/sysrq-trigger
	outcomes
done

what="afterwards"
begin
check "$what: all guests run" "$(limpet guest ps)" guests 9
holds "$what: the system stops" limpet stop
guests_end
check "the group is empty" "$(cat $group/cgroup.procs)" within 10 rmdir $group
holds "the groups are removed" umount $groups
holds "detach" limpet detach
linux_is_well
finish
