#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# ask WORD: prints the component's answer
ask() {
	printf %s "$1" >/dev/limpet/capitals
	dd if=/dev/limpet/capitals bs=4096 count=1 2>/dev/null
}

attach
start "$(pwd)/rust.limpet"
within 60 logged 3 '(client|driver): done|float: ' || fail "all is tried" "$(since_mark | tail -5)"
for what in arguments texts "a call of C" "four words to C" "six words to C" "four words to Rust" "an error of Rust" \
	"an unknown error" "an error is never a success" "time stamps" "a map of texts" "large and aligned blocks" \
	"a text that grows" "a thread too many" threads "a mutex" "a mutex that the caller holds" periods \
	"a period that is too short" "a sleep" "units of time" pages "shared memory" "shared memory is bounded" \
	"a sum in the heap of the server" "a panic ends the call" "the server was restarted" "an exhausted heap"; do
	check "$what" "$(since_mark | tail -40)" logged 1 "client: right: $what\$"
done
for what in "C calls Rust" "a panic in a call of C"; do
	check "$what" "$(since_mark | tail -5)" logged 1 "driver: right: $what\$"
done
check "numbers in floating point" "$(since_mark | grep float)" logged 1 'float: the sum is 1\.643935$'
check "file, line and message of a panic" "$(since_mark | grep panic)" \
	logged 1 'server: panic at .*/rust-server/server.rs:[0-9]+: index out of bounds: the len is 3 but the index is 7$'
check "the reason of an exhausted heap" "$(since_mark | grep panic)" \
	logged 1 'server: panic at .*: an allocation of 1048576 bytes failed: the heap has 65536 bytes, [0-9]+ of them unused'
limpet crash >/tmp/text
check "a crash has names of Rust functions" "$(cat /tmp/text)" grep -q 'core::panicking::panic_bounds_check' /tmp/text
check "a crash has the name of the served function" "$(cat /tmp/text)" grep -q 'fragile_serve_crash' /tmp/text
equal "messages of a channel" "HELLO RUST" "$(ask 'hello rust')"
if grep -q 'wrong:' $log; then fail "nothing was wrong" "$(grep 'wrong:' $log)"; fi
holds "stops" limpet stop
holds "detaches" limpet detach
finish
