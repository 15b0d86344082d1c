#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh
. /limpet/channel.sh

# mode NAME: prints the permissions of a node
mode() {
	stat -c %a "/dev/limpet/$1"
}

# ask WORD: prints the component's answer
ask() {
	printf %s "$1" >/dev/limpet/echo
	dd if=/dev/limpet/echo bs=4096 count=1 2>/dev/null
}

attach

# Linux gives a device no name.
must insmod /limpet/hunger.ko function=kvasprintf_const name=limpet-host
must sh -c "echo 1 >/sys/module/hunger/parameters/refuse"
refused "a device that Linux cannot create" 'Linux cannot create it \(error 12\)' limpet run ./nodes.limpet
equal "its name was wanted" 1 "$(cat /sys/module/hunger/parameters/refused)"
equal "no node remains" control "$(ls /dev/limpet | grep -vx guest)"
must rmmod hunger

start_channels nodes
equal "permissions" "600 666 620 600" "$(mode echo) $(mode bytes) $(mode sink) $(mode control)"

equal "from the shell" hello "$(ask hello)"
equal "the component waits for a time" "ticked 5" "$(ask tick)"
for what in messages sizes busy seen monitored nonblock polled two-wait bytes shared maps elsewhere denied killed ended \
	stopped; do
	holds "$what" ./user "$what"
done
holds "flood" ./user flood
continues "the loop continues"

for round in 1 2 3; do
	holds "crash $round" ./user crash
done
holds "crash, asleep" ./user crash-asleep
within 20 channels_open
holds "after the crashes" ./user messages
equal "waits for a time after the crashes" "ticked 5" "$(ask tick)"
holds "liblimpet" ./client

./user system-ends >/tmp/ends &
within 20 grep -q waits /tmp/ends
sleep 0.2
holds "stops" limpet stop
wait $!
equal "the system ends" "0 waits" "$? $(cat /tmp/ends)"
equal "no node of the system is left" control "$(ls /dev/limpet | grep -vx guest)"
start_channels nodes
holds "the next system" ./user messages
holds "detach" limpet detach --stop
check "nothing is left" "$(ls -R /dev/limpet 2>&1)" [ ! -e /dev/limpet/control ]
equal "no complaint of Linux" "" "$(dmesg | grep -E 'BUG|WARNING|Oops|Call Trace' | head -n 3)"
finish
