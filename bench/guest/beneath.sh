#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Suite beneath: the lateness of a 1 kHz loop during each activity of Linux, compared with Linux's own timer in the same
# phase of the same boot, and the layer's cost for Linux.
. /limpet/bench/common.sh

windows=$(rounds 2 10)
phases="idle cpu vm io fork mix"

# phase NAME COMMAND...: measures while Linux runs the command
phase() {
	name=$1
	shift
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
	case $name in
	cpu) stress-ng --quiet --cpu 1 & ;;
	vm) stress-ng --quiet --vm 1 --vm-bytes 32M --vm-keep --vm-method write64 & ;;
	io) stress-ng --quiet --hdd 1 --hdd-bytes 8M --temp-path /tmp & ;;
	fork) stress-ng --quiet --fork 1 & ;;
	mix) stress-ng --quiet --cpu 1 --vm 1 --vm-bytes 32M --vm-keep --vm-method write64 \
		--fork 1 --pipe 1 & ;;
	irqs-off) irqs_off & ;;
	*) sleep 1000000 & ;;
	esac
	work=$!
	sleep 0.3
	"$@"
	must kill $work
	wait $work 2>/dev/null
}

# cost SUBJECT: of Linux's own work
cost() {
	measure null_syscall "$1"
	must peers 500 0 >/tmp/measured
	sed "s/\"subject\": \"/\"subject\": \"$1-/" /tmp/measured | send
}

must insmod /limpet/harm.ko
say "Linux alone: what it does"
cost native
for round in 1 2; do
	must job measure 6 >>/tmp/native
	attach
	say "beneath, round $round of 2: what Linux does"
	must job measure 6 >>/tmp/beneath
	[ $round -lt 2 ] || cost beneath
	must limpet detach >/dev/null
done
must job measure 6 >>/tmp/native
measure job figure native </tmp/native
measure job figure beneath </tmp/beneath

for name in $phases; do
	say "Linux alone: timer, $name"
	phase "$name" timer_linux "cyclictest-$name"
done
attach
say "beneath: invocations"
system_start ping
await 60 1 'ping: done'
marked | sed -n 's/^[^{]*\({"figure".*}\)$/\1/p' | grep invoke | send
must limpet stop
system_start control
windows=$(rounds 2 100)
for name in $phases irqs-off; do
	say "beneath: a system's 1 kHz loop, $name"
	phase "$name" timer_limpet "$name"
done
must limpet detach --stop >/dev/null
