# SPDX-License-Identifier: GPL-2.0
# Functions for properties about channels. Include it after system.sh.

# channels_open: succeeds if the component of channel-nodes has opened its channels
channels_open() {
	[ -c /dev/limpet/bytes ] && { true >/dev/limpet/bytes; } 2>/dev/null
}

# start_channels NAME: runs system NAME of the property's folder, and waits until its channels are open
start_channels() {
	start "$PWD/$1.limpet"
	within 10 channels_open || fail "channels appear" "$(ls /dev/limpet; dmesg | tail -n 3)"
}
