#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

blocks() {
	ls -d /sys/devices/system/memory/memory[0-9]*
}
# plug NUMBER ADDRESS: makes drive.py plug memory there. Sets `block` to its folder
plug() {
	blocks >/tmp/blocks
	echo "{\"memory\": $1, \"at\": \"$2\"}" >/dev/verdict
	within 20 new_block || fail "memory at $2 appears" "$(dmesg | tail -3)"
}
new_block() {
	block=$(blocks | grep -vxFf /tmp/blocks)
	[ -n "$block" ]
}
# online: makes Linux use the memory. Some kernels have already tried it
online() {
	[ "$(state)" = online ] || echo online >"$block/state"
}
state() {
	cat "$block/state"
}

attach
start loop
continues "before"

plug 0 0x200000000
holds "memory in a mapped range goes online" online
equal "memory in a mapped range is online" online "$(state)"
continues "continues with more memory"

plug 1 0xa000000000
dmesg -c >/dev/null
if online; then
	fail "other memory is refused" "it went online"
else
	equal "other memory stays offline" offline "$(state)"
fi
check "the reason" "$(dmesg | tail -3)" sh -c \
	'dmesg | grep -q "limpet: Memory at 0xa000000000 stays offline: page tables of components cannot map it. Detach Limpet, then set it online"'
continues "continues after the refusal"

holds "stop" limpet stop
holds "detach" limpet detach
holds "it goes online after detach" online
attach
start loop
continues "a system after another attach"
holds "stop" limpet stop
holds "detach" limpet detach
linux_is_well
finish
