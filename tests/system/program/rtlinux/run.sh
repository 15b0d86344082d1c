#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# says NAME LINE: checks that the module has logged exactly this line
says() {
	check "$1" "$(since_mark | tail -n 8)" logged 1 "^classic: $2\$"
}

attach
start "$PWD/classic.limpet"
check "the module is removed" "$(since_mark | tail -n 8)" within 60 logged 1 'classic: module is removed'
says "parameters" 'parameters 5 five 7'
says "periods of a thread" 'periodic 1: 5 rounds'
says "periods of a second thread" 'periodic 2: 5 rounds'
says "waits" 'waits done'
says "init_module" 'init done, 0 wrong'
says "cleanup_module" 'cleanup done, 0 wrong'
equal "nothing is wrong" "" "$(since_mark | grep 'classic: wrong:' | head -3)"
holds "stop" limpet stop

start "$PWD/interface.limpet"
check "the module interface is removed" "$(since_mark | tail -n 8)" within 60 logged 1 'interface: module is removed'
check "parameters of each kind" "$(since_mark | head -n 3)" logged 1 '^interface: parameters 5 6 3 -8 90000000000$'
check "each function and its errors" "$(since_mark | tail -n 8)" logged 1 '^interface: cleanup done, 0 wrong$'
equal "nothing is wrong in interface" "" "$(since_mark | grep 'interface: wrong:' | head -5)"
holds "stop interface" limpet stop

before=$(date +%s)
start "$PWD/older.limpet"
check "the module older is removed" "$(since_mark | tail -n 8)" within 60 logged 1 'older: module is removed'
check "parameters with text and bytes" "$(since_mark | head -n 3)" logged 1 '^older: parameters seven.. /a/b 200$'
check "a timer of the module's own" "$(since_mark | head -n 5)" logged 1 '^older: timer 5$'
now=$(since_mark | sed -n 's/^older: time of day //p')
check "the time of day is Linux's" "$before $now $(date +%s)" test "$now" -ge "$before" -a "$now" -le "$(date +%s)"
check "objects in C++" "$(since_mark | grep -vE 'is refused' | head -n 8)" logged 1 '^older: objects 55$'
check "names of Linux and mathematics" "$(since_mark | tail -n 8)" logged 1 '^older: cleanup done, 0 wrong$'
equal "nothing is wrong in older" "" "$(since_mark | grep 'older: wrong:' | head -5)"
holds "stop older" limpet stop

start "$PWD/errors.limpet"
check "the module errors is removed" "$(since_mark | tail -n 8)" within 60 logged 1 'errors: module is removed'
check "errors that the other modules do not provoke" "$(since_mark | tail -n 8)" logged 1 '^errors: cleanup done, 0 wrong$'
equal "nothing is wrong in errors" "" "$(since_mark | grep 'errors: wrong:' | head -5)"
check "sigaction of a line is refused" "$(since_mark | tail -n 30)" logged 1 '^errors: sigaction is refused: .*does not assign'
check "request_irq is refused" "$(since_mark | tail -n 30)" logged 1 '^errors: request_irq is refused: .*does not assign'
check "a timer of version 1 is refused" "$(since_mark | tail -n 30)" logged 1 '^errors: rt_request_timer is refused: the scheduler'
check "conpr" "$(since_mark | tail -n 30)" logged 1 '^errors: text of conpr$'
check "conprn" "$(since_mark | tail -n 30)" logged 1 '^errors: 1f of conprn$'
holds "stop errors" limpet stop

start "$PWD/alone.limpet"
check "a module whose system file lacks parts" "$(since_mark | tail -n 8)" within 60 logged 1 '^alone: init done, 0 wrong$'
equal "nothing is wrong in alone" "" "$(since_mark | grep 'alone: wrong:' | head -5)"
check "init_module() fails" "$(since_mark | tail -n 3)" within 20 logged 1 'alone: init_module\(\) returned -19: the module is not loaded'
for function in mq_open rtf_create rtf_link_user_ioctl; do
	check "$function is refused" "$(since_mark | tail -n 12)" logged 1 "^alone: $function is refused: the system file gives"
done
holds "stop alone" limpet stop

# samples: prints the samples that the thread of pipes puts into FIFO 3
samples() {
	for n in $(seq 0 99); do
		printf '%03d\n' "$n"
	done
}

start "$PWD/pipes.limpet"
within 20 logged 1 '^pipes: module is loaded$'
check "FIFOs, files and buffers of a module" "$(since_mark | tail -n 8)" logged 1 '^pipes: init done, 0 wrong$'
printf abcdefghij >/dev/rtf1
equal "a handler answers each message" ABCDEFGHIJ "$(dd if=/dev/rtf2 bs=1 count=10 2>/dev/null)"
equal "samples in their order, from the first" "$(samples | md5sum)" "$(dd if=/dev/rtf3 bs=4 count=100 2>/dev/null | md5sum)"
for n in 1 2 3 4 5 6 7 8 9 10; do
	printf s >/dev/rtf1
	timeout 20 dd if=/dev/rtf4 bs=1 count=1 2>/dev/null
done >/tmp/softs
equal "a soft interrupt for each request of a process" SSSSSSSSSS "$(cat /tmp/softs)"
check "soft interrupts" "$(since_mark | tail -n 8)" within 20 logged 1 '^pipes: soft interrupt$'
printf q >/dev/rtf1
check "the module destroys a FIFO" "$(since_mark | tail -n 8)" within 20 logged 1 '^pipes: quit, 2 answered, 0 wrong$'
check "a destroyed FIFO cannot be opened" "it can" eval '! dd if=/dev/rtf3 bs=1 count=1 2>/dev/null'
equal "nothing is wrong in pipes" "" "$(since_mark | grep 'pipes: wrong:' | head -3)"
holds "stop pipes" limpet stop
check "no FIFO is left" "$(ls /dev/rtf*)" eval '! ls /dev/rtf* 2>/dev/null'

start "$PWD/requests.limpet"
check "requests starts" "$(since_mark | tail -n 3)" within 20 logged 1 '^requests: init done, 0 wrong$'
equal "ioctl() of processes" asked "$(./partner 2>&1)"
equal "a handler is removed" asked "$(./partner remove 2>&1)"
holds "stop requests" limpet stop
check "nothing is wrong in requests" "$(since_mark | tail -n 5)" logged 1 '^requests: cleanup done, 0 wrong$'

start "$PWD/requests.limpet"
within 20 logged 1 '^requests: init done, 0 wrong$'
./partner wait >/tmp/waited 2>&1 &
waiter=$!
sleep 1
holds "stop while a process waits" limpet stop --grace 0
wait $waiter
equal "ioctl() of a module that stops" asked "$(cat /tmp/waited)"

start "$PWD/requests.limpet"
within 20 logged 1 '^requests: init done, 0 wrong$'
equal "ioctl() of a destroyed FIFO" asked "$(./partner destroy 2>&1)"
holds "stop after that" limpet stop
holds "detach" limpet detach
linux_is_well
finish
