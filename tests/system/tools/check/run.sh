#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/check.sh

# send NAME FILE: sends a file to drive.py in records
send() {
	gzip -c "$2" | base64 -w 1500 | while read -r line; do
		figure "{\"$1\": \"$line\"}"
	done
	figure "{\"$1\": \"whole\"}"
}

refused "check before anything is attached" 'not attached' limpet check
attach
refused "check without a system" 'No system runs' limpet check
limpet check --for soon 2>/tmp/err
equal "an invalid time: the exit status" 2 $?
check "an invalid time" "$(cat /tmp/err)" grep -q 'check: --for soon: must be a time' /tmp/err

check_of healthy --for 300ms
named "nothing is wrong" yes none 0
run_options="--linux-share 200"
check_of healthy --for 300ms --load
named "a load of Linux" yes none 0
run_options=

check_of overrun --for 300ms
named "each tenth job is longer" no own-code 1
# Write a report of the same system. drive.py checks its page, and the metrics.
start "$PWD/overrun.limpet"
within 20 logged 1 'checked: begins'
mkdir -p /tmp/report/full
refused "a report in a folder that is not empty" 'exists already' limpet report --for 1ms -o /tmp/report
rm -r /tmp/report
holds "a report" limpet report --for 300ms -o /tmp/report
check "the report's figures" "$(cat /tmp/report/check.json)" \
	grep -q '"realtime": "no", "cause": "own-code"' /tmp/report/check.json
for file in index.html wiring.svg; do
	check "the report: $file" "$(ls -l /tmp/report)" [ -s "/tmp/report/$file" ]
done
equal "a picture of each kind" 3 "$(ls /tmp/report | grep -cE '^(histograms|series|worst)-0-[0-9]+\.svg$')"
limpet exporter --textfile /tmp/metrics --interval 0
send metrics /tmp/metrics
send page /tmp/report/index.html
must limpet stop

check_of budget --for 300ms
named "a budget that is too small" no budget 1
check_of faults --for 300ms
named "page faults" no faults 1
check_of stuck --for 500ms
named "no job ends" no stuck 1
check_of above --for 300ms
named "a thread of higher priority" no thread 1

start "$PWD/flood.limpet"
within 20 logged 1 'checked: begins'
./flood &
flood=$!
limpet check --json --for 300ms >/tmp/json
status=$?
limpet report --for 300ms -o /tmp/flooded >/tmp/err 2>&1
kill $flood
check "the report has the load of the channel" "$(cat /tmp/err; grep -o '<tr><td>flood<.*' /tmp/flooded/index.html)" \
	grep -qE '>flood</td>.*>flooded</td>.*>0</td>.*>4,?096</td>.*>0</td>.*>–</td>.*>[1-9][0-9,]*</td>.*>–</td>.*>–</td>' \
	/tmp/flooded/index.html
named "a flood on a channel" no channel 1

check_of near --for 300ms
named "a thread of higher priority that computes shortly" yes none 0
check_of near --for 300ms --late 500
named "a limit of lateness" no thread 1

if [ "$LIMPET_MODE" != beneath ]; then
	./above 0 &
	above=$!
	check_of healthy --for 300ms
	kill $above
	named "a Linux thread of higher priority" no linux-thread 1

	must insmod /limpet/harm.ko
	# In many runs Linux's own work delays the worst job, by up to 350 us in this storm. check blames a storm for delays
	# of up to four of its periods, here 640 us.
	must sh -c 'echo 120 >/sys/module/harm/parameters/storm'
	check_of healthy --for 300ms --late 20
	echo 0 >/sys/module/harm/parameters/storm
	named "an interrupt storm" no interrupts 1
	check "an interrupt storm: its name and rate" "$(cat /tmp/json)" \
		grep -q 'The most frequent interrupt is LOC (Local timer interrupts): [0-9]\{4,\} a second' /tmp/json

	run_options="--linux-share 500"
	check_of below --for 300ms
	named "Linux's share" no linux-share 1
	# Throttling occurs once a second. Linux 6.12 stops it as soon as no thread of its own wants the CPU.
	if [ -n "$LIMPET_LONG" ]; then
		run_options="--linux-share 0"
		yes >/dev/null &
		busy=$!
		check_of below --for 2s
		kill $busy
		named "throttling" no throttling 1
	fi
	run_options=
fi

# Only one command can read the trace.
start "$PWD/healthy.limpet"
within 20 logged 1 'checked: begins'
limpet trace --seconds 0 -o /tmp/trace >/dev/null &
tracer=$!
sleep 1
refused "while another command traces" 'Another command' limpet check
kill $tracer
wait $tracer
must limpet stop
# Nine of ten jobs run for 100 us, the tenth for 2,500. Run times include the scheduler.
start "$PWD/overrun.limpet"
within 20 logged 1 'checked: begins'
limpet wcet checked --for 400ms --json >/tmp/json
equal "wcet: the exit status" 0 $?
for range in 'jobs 100 400' 'mean 250 450' 'p50 100 200' 'p99 2500 2700' 'max 2500 2700'; do
	set -- $range
	check "wcet: $1 is $2 to $3" "$(cat /tmp/json)" [ "$(value "$1")" -ge "$2" -a "$(value "$1")" -le "$3" ]
done
holds "wcet: a table with histograms and a picture" limpet wcet --for 200ms --ascii --ticks --svg /tmp/wcet.svg
check "wcet: the picture" "$(ls -l /tmp/wcet.svg)" grep -q '</svg>' /tmp/wcet.svg
refused "wcet: a picture in a folder that does not exist" '/tmp/none/a.svg: .* No such file' \
	limpet wcet --for 1h --svg /tmp/none/a.svg
refused "report: a page in a folder that does not exist" '/tmp/none/a.html: .* No such file' \
	limpet report --for 1h -o /tmp/none/a.html
refused "wcet of a wrong name" "Did you mean 'checked'" limpet wcet checkd
refused "wcet of a component without a periodic thread" 'no periodic thread' limpet wcet log --for 10ms
must limpet stop
start "$PWD/idle.limpet"
refused "no periodic thread" 'no periodic thread' limpet check
must limpet stop
holds "detach" limpet detach
finish
