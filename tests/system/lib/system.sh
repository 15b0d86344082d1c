# SPDX-License-Identifier: GPL-2.0
# Functions of the properties' scripts, including those of verdict.sh.
. /limpet/verdict.sh

log=/run/limpet/log
images=/limpet/images
probe=/sys/module/probe/parameters

# rounds FEW MANY: prints FEW in `make test`, and MANY in `make test-all`
rounds() {
	if [ -n "$LIMPET_LONG" ]; then echo "$2"; else echo "$1"; fi
}

# part FEW TOTAL: prints FEW in `make test`. In `make test-all` prints the share of this case in TOTAL, at least FEW.
# All cases of the property on stock kernels share TOTAL
part() {
	share=$((($2 + LIMPET_CASES - 1) / LIMPET_CASES))
	[ -n "$LIMPET_LONG" ] && [ $share -gt "$1" ] || share=$1
	echo $share
}

# holds NAME COMMAND...: passes if the command succeeds, and otherwise fails with its output
holds() {
	held=$1
	shift
	if said=$("$@" 2>&1); then pass "$held"; else fail "$held" "status $?: $said"; fi
}

# refused NAME WORDS COMMAND...: passes if the command fails with exactly one line that contains the words
refused() {
	held=$1 words=$2
	shift 2
	if said=$("$@" 2>&1); then
		fail "$held" "it was not refused: $said"
	elif [ "$(echo "$said" | wc -l)" -ne 1 ] || ! echo "$said" | grep -qE -- "$words"; then
		fail "$held" "refused, but not with one line that has '$words': $said"
	else
		pass "$held"
	fi
}

# must COMMAND...: ends the script if the command fails
must() {
	said=$("$@" 2>&1) && return
	fail "$*" "status $?: $said"
	finish
	exit 0
}

# attach: attaches in the mode of the case
attach() {
	set --
	[ "$LIMPET_MODE" != beneath ] || set -- --beneath
	! grep -qw limpet.trust /proc/cmdline || set -- "$@" --trust-components
	must limpet attach "$@"
}

# processor_is_max: succeeds on QEMU's processor `max`, which has all features that QEMU emulates, as protection keys
processor_is_max() {
	grep -q '^model name.*QEMU TCG CPU' /proc/cpuinfo
}

# within SECONDS COMMAND...: repeats the command until it succeeds. Fails after the time limit
within() {
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		usleep 50000
	done
}

# ends NAME WORDS COMMAND...: checks that the command ends within 30 s and prints WORDS. A hang does not stop the test
ends() {
	name=$1 words=$2
	shift 2
	rm -f /tmp/ended
	{ "$@" >/tmp/said 2>&1; echo >/tmp/ended; } &
	if ! within 30 [ -e /tmp/ended ]; then
		fail "$name" "it hangs: $(dmesg | tail -n 2)"
	else
		check "$name" "$(cat /tmp/said)" grep -qE -- "$words" /tmp/said
	fi
}

# logged COUNT WORDS: succeeds if the log has at least COUNT lines with WORDS since `mark`
mark() {
	marked=$(wc -l 2>/dev/null <$log || echo 0)
}
since_mark() {
	tail -n +$((marked + 1)) $log
}
logged() {
	[ "$(since_mark | grep -cE -- "$2")" -ge "$1" ]
}

# last NAME: prints the last report of a component that counts its jobs
last() {
	grep "^$1: jobs" $log | tail -n 1
}
# had NAME...: prints the total share of CPU time of the components in their last reports, in thousandths
had() {
	sum=0
	for name; do
		sum=$((sum + $(last "$name" | sed 's/.*had \([0-9]*\) of 1000$/\1/')))
	done
	echo $sum
}
# punctual NAME: succeeds if no job of the component was late, or took longer than permitted
punctual() {
	last "$1" | grep -q 'misses 0, overruns 0'
}

# start IMAGE [OPTION...]: runs a system, and sets host_pid to its host process
start() {
	mark
	image=$1
	shift
	case $image in /*) ;; *) image=$images/$image.limpet ;; esac
	must limpet run "$image" "$@"
	host_pid=$(echo "$said" | sed -n 's/.*host process \([0-9]*\).*/\1/p')
}

# nothing_loaded: succeeds if the module has no system
nothing_loaded() {
	limpet ps 2>&1 | grep -q 'No system runs'
}

# stat_of NAME: prints a number of `limpet stat` for the first CPU
stat_of() {
	limpet stat | awk -v name="$1" '$0 ~ "^ *[0-9]+  " name "$" { print $1; exit }'
}

# loop_continues: succeeds if the component control sends two more reports
loop_continues() {
	mark
	within 60 logged 2 '"figure".*"timer"'
}

# continues NAME: gives the verdict of loop_continues. In the system busy the invocations must be right, too
continues() {
	if ! loop_continues; then
		fail "$1" "the loop stopped: $(since_mark | tail -2)"
	elif limpet ps | grep -q ' checker ' && ! within 60 logged 1 'checker: right'; then
		fail "$1" "the invocations stopped: $(since_mark | tail -2)"
	elif grep -q 'checker: wrong' $log; then
		fail "$1" "$(grep -m1 'checker: wrong' $log)"
	else
		pass "$1"
	fi
}

# interrupts NAME: prints the number of interrupts of this kind on CPU 0. LOC, Linux's clock, can be line 0 instead
interrupts() {
	awk -v name="$1:" '$1 == name || (name == "LOC:" && $1 == "0:") { n += $2 } END { print n + 0 }' /proc/interrupts
}

# rose NAME MIN: succeeds if the number rose by at least MIN since `before`
rose() {
	[ $(($(interrupts "$1") - before)) -ge "$2" ]
}

uptime_ms() {
	awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime
}
# timers NAME: checks that Linux's clock has the right speed, and that its timer interrupts
timers() {
	before=$(uptime_ms) ticks=$(interrupts LOC)
	sleep 1
	took=$(($(uptime_ms) - before))
	check "$1: a second passes in one" "it took $took ms" [ $took -ge 990 -a $took -lt 15000 ]
	check "$1: the timer's interrupts come" "$(($(interrupts LOC) - ticks))" \
		[ "$(interrupts LOC)" -gt "$ticks" ]
}

# nmi_each COUNT: requests NMIs from drive.py (lib/nmi.py) one at a time. The CPU merges two NMIs that arrive while it
# handles a third one
nmi_each() {
	before=$(interrupts NMI) got=0
	while [ $got -lt "$1" ]; do
		got=$((got + 1))
		echo "{\"nmi\": $got}" >/dev/verdict
		for try in $(seq 5000); do
			! rose NMI $got || break
			usleep 2000
		done
		rose NMI $got || break
	done
	check "each NMI arrives" "$(($(interrupts NMI) - before)) of $got" rose NMI "$1"
	sleep 1
	equal "no NMI that was not sent" "$1" $(($(interrupts NMI) - before))
	dmesg -c >/dev/null
}

# entry_points: prints the entry points of each CPU, as Linux's threads and interrupts read them
entry_points() {
	cat $probe/thread $probe/interrupt | sed 's/ by .*//'
}

# --- memory: Linux's memory in use, after droppable memory was dropped

# caches_shrink: makes slabs free the memory that they keep for later, with KASAN's quarantine
caches_shrink() {
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
}

# used_pages: prints the number of used pages: neither free, nor in a CPU's free list, nor in a droppable cache
used_pages() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	caches_shrink
	sleep 0.5
	awk '$1 == "managed" { n += $2 } $1 == "nr_free_pages" || $1 == "count:" { n -= $2 }
		END { print n }' /proc/zoneinfo
}

# log_pages: prints the number of pages of the log, which grows with each system and is in memory here
log_pages() {
	du -k "$log"* 2>/dev/null | awk '{ n += $1 } END { print int(n / 4) }'
}

# kilobytes NAME: prints a line of /proc/meminfo
kilobytes() {
	awk -v name="$1:" '$1 == name { print $2 }' /proc/meminfo
}

# objects NAME...: prints the number of objects in use in these slab caches. Linux counts a slab that a CPU allocates from
# as full. Shrinking makes the CPUs give theirs back, and no process starts before the count
objects() {
	for cache in "$@"; do
		echo 1 >"/sys/kernel/slab/$cache/shrink"
	done
	count=0
	while read -r cache active rest; do
		case " $* " in *" $cache "*) count=$((count + active)) ;; esac
	done </proc/slabinfo
	echo $count
}

memory_measure() {
	used=$(($(used_pages) - $(log_pages))) slab=$(kilobytes SUnreclaim)
	stacks=$(kilobytes KernelStack) tables=$(kilobytes PageTables)
	small=$(objects kmalloc-2k kmalloc-8k kmalloc-64) tasks=$(objects task_struct)
	areas=$(grep -vc unpurged /proc/vmallocinfo)
}

# memory_mark: stores the current memory use as the reference
memory_mark() {
	memory_measure
	used_before=$used slab_before=$slab stacks_before=$stacks tables_before=$tables
	small_before=$small tasks_before=$tasks areas_before=$areas
}

# within_slack ROUNDS PAGES: prints each measured number that exceeds its limit since memory_mark. The limits permit half a
# page a round, and as normal changes by Linux a number of pages on each CPU. So they find a leak of more than
# 1/2 + PAGES * CPUS / ROUNDS pages a round. KASAN never frees the pages of its stack traces, and guests cause hundreds of
# new ones
within_slack() {
	slack=$(($1 / 2 + $2 * LIMPET_CPUS))
	traces=0
	! grep -q ' kasan_report$' /proc/kallsyms || traces=2000
	while read -r limit before after what; do
		[ $((after - before)) -le "$limit" ] ||
			echo "$what: $before before, $after after, at most $limit more are no leak"
	done <<-END
		$((slack + traces)) $used_before $used pages in use
		$((slack * 2 + 100)) $slab_before $slab KiB of slab
		128 $stacks_before $stacks KiB of kernel stacks
		64 $tables_before $tables KiB of page tables
		$(($1 / 2 + 16 * LIMPET_CPUS)) $small_before $small objects of our sizes
		16 $tasks_before $tasks tasks
		12 $areas_before $areas vmalloc areas
	END
}

# memory_kept ROUNDS [PAGES]: gives a verdict on the memory since memory_mark, and sets memory_drift to the figures. PAGES
# is the growth on each CPU that is no leak, 60 by default: two CPUs have grown by 75 pages in 30 rounds. It repeats the
# measurement, because memory of a process that has just exited is freed late. It must run in the same shell as
# memory_mark, because a subshell's own memory would count
memory_kept() {
	for try in $(seq 12); do
		memory_measure
		leak=$(within_slack "$1" "${2:-60}")
		[ -n "$leak" ] || break
		sleep 1
	done
	equal "memory is given back" "" "$leak"
	memory_drift="\"pages\": $((used - used_before)), \"slab_kib\": $((slab - slab_before)), \
\"tasks\": $((tasks - tasks_before)), \"objects\": $((small - small_before)), \
\"areas\": $((areas - areas_before))"
}

# linux_complaints PATTERN: prints the first lines of Linux's log with this pattern, except complaints of the processor
linux_complaints() {
	dmesg | grep -vE 'RETBleed:|Speculative Return Stack Overflow:|Spectre V2 :|ITS:' | grep -E "$1" | head -3
}

# linux_is_well: checks that Linux's log has no complaint except of the processor
linux_is_well() {
	equal "no complaint of Linux" "" "$(linux_complaints 'BUG|WARNING|Oops|Call Trace|no longer affine')"
}
