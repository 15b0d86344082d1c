# SPDX-License-Identifier: GPL-2.0
# Functions for the packages of test.toml in a guest. Include it after system.sh.

root=/packages

# packages_enter: mounts the packages at $root, with a /tmp. Written files are stored in memory
packages_enter() {
	mkdir -p $root /packages-read-only /packages-written
	mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144,cache=loose packages /packages-read-only &&
		mount -t tmpfs none /packages-written && mkdir /packages-written/upper /packages-written/work &&
		mount -t overlay -o lowerdir=/packages-read-only,upperdir=/packages-written/upper,workdir=/packages-written/work \
			none $root &&
		mkdir -p $root/proc $root/dev $root/sys $root/tmp $root/etc $root/root $root/var/tmp &&
		mount -t proc none $root/proc && mount --bind /dev $root/dev && mount -t sysfs none $root/sys ||
		fail "the packages are mounted" "$(dmesg | tail -3)"
	mkdir -p $root/dev/shm $root/dev/pts
	mount -t tmpfs none $root/dev/shm
	mount -t devpts none $root/dev/pts 2>/dev/null
	chmod 1777 $root/tmp $root/var/tmp
	echo 'root:x:0:0:root:/root:/bin/sh' >$root/etc/passwd
	echo 'root:x:0:' >$root/etc/group
	echo '127.0.0.1 localhost' >$root/etc/hosts
	ifconfig lo up 127.0.0.1 2>/dev/null || ip link set lo up
	[ -e $root/usr/bin/sh ] || ln -s dash $root/usr/bin/sh
}

# packages_run NAME COMMAND...: runs `$by COMMAND...` in the packages for at most $limit seconds, with the arguments
# $environment of env. Output and status are in /tmp/out.NAME, and what it writes to descriptor 3 is in
# /tmp/out.NAME.outcomes
packages_run() {
	out=/tmp/out.$1
	shift
	timeout -s KILL $limit $by chroot $root /usr/bin/env $environment "$@" 3>"$out.outcomes" >"$out" 2>&1 </dev/null
	echo "status $?" >>"$out"
}
