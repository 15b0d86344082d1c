#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
. /limpet/system.sh

# right WHAT: checks that a component reports success
right() {
	check "$1" "$(since_mark | grep -F ": $1 " || since_mark | tail -3)" \
		within 20 logged 1 ": right: $1 "
}

proxy() {
	limpet proxy files data=rw:/tmp/in view=r:/tmp/in log=r:/tmp/in hidden=rw:/tmp/out "port=rw,9600:$port" \
		>/tmp/proxy 2>&1 &
	proxying=$!
}

mkdir -p /tmp/in /tmp/out /dev/pts
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
echo hello >/tmp/in/hello
echo secret >/tmp/secret
ln -s ../secret /tmp/in/leak
ln -s ../out /tmp/in/away
mkfifo /tmp/in/fifo /tmp/go
./pty </tmp/go >/tmp/pty &
exec 4>/tmp/go
within 20 test -s /tmp/pty
port=$(head -n 1 /tmp/pty)

attach
refused "there is no system" "No system with this channel runs" limpet proxy files data=r:/tmp/in
refused "what is not there is not offered" "/tmp/none: No such file" limpet proxy files data=r:/tmp/none
refused "nor is a disk or memory" "/dev/null: " limpet proxy files data=r:/dev/null
start "$PWD/proxy.limpet"
proxy
for what in share create write read size close closed data/../secret data/leak data/away/new data/fifo data \
	data/none view/hello log/hello hidden/x absent/x; do
	right "$what"
done
equal "what it wrote is in Linux's file" 100000 "$(wc -c </tmp/in/big)"
equal "nothing is outside" "" "$(ls /tmp/out)"

right port
echo >&4
right echo
check "the serial port said it back" "$(cat /tmp/pty)" within 20 grep -q '^abcdefghijklmnopqrstuvwxyz$' /tmp/pty

check "it changes to another proxy" "$(since_mark | tail -3)" within 20 logged 1 'replace the proxy'
kill -9 $proxying
wait $proxying 2>/dev/null
proxy
for what in "the proxy went" "open after" "read after"; do
	right "$what"
done
equal "nothing was wrong" "" "$(since_mark | grep ': wrong: ')"
holds "stops" limpet stop
wait $proxying
equal "the proxy ends with the system" 0 $?
equal "without a word" "" "$(cat /tmp/proxy)"
holds "detaches" limpet detach
linux_is_well
finish
