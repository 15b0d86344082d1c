#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/verdict.sh

cycles=5000
ip=/usr/bin/ip
$ip link add master0 type veth peer name line0 && $ip link set master0 up && $ip link set line0 up || exit 1
mkfifo /tmp/orders
./line line0 </tmp/orders >/tmp/line 2>&1 &
slaves=$!
exec 4>/tmp/orders

# master CYCLES: runs SOEM's master, whose lines are in $said
master() {
	said=$(./master master0 "$1" 2>&1)
	status=$?
}

master $cycles
equal "SOEM finds the slaves, starts them and exchanges process data" "slave 1: vendor 2, product 44c2c52
slave 2: vendor 1234, product 5678
slave 3: vendor 2, product 3f03052
slave 1: 0 bits of outputs, 0 bits of inputs
slave 2: 16 bits of outputs, 32 bits of inputs
slave 3: 0 bits of outputs, 8 bits of inputs
all slaves are in SAFE-OP
all slaves are in OP
$cycles good cycles
all slaves are in INIT" "$said"
equal "its master ends successfully" 0 $status

master 100
check "SOEM starts the slaves again" "$said" [ $status -eq 0 ]

echo "drop 2" >&4
while ! grep -q '^drop 2$' /tmp/line; do sleep 0.1; done
master 1
equal "SOEM's master does not find a disconnected slave" "2 slaves answer" "$said"

exec 4>&-
wait $slaves
equal "all frames of SOEM's master were valid" "ready drop 2" "$(echo $(cat /tmp/line))"
finish
