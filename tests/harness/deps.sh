#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs missing packages that the build and the tests need. Calls apt only if a package is missing.
set -eu

packages="qemu-system-x86 busybox-static stress-ng rt-tests linux-perf cpio sparse clang-format-19
	libcmocka-dev musl-tools dpkg-dev mmdebstrap python3 python3-pytest python3-pytest-xdist python3-pyelftools python3-matplotlib graphviz
	chromium-headless-shell librsvg2-bin
	curl apache2-utils iperf mosquitto mosquitto-clients cyclonedds-dev cyclonedds-tools
	debhelper dh-dkms dh-python lintian dkms
	python3-pip python3-sphinx python3-myst-parser furo python3-jsonschema
	libncurses-dev tmux babeltrace2 iproute2 tcpdump ethtool gcc g++ gcc-12 rustc rust-src make xz-utils zstd kmod libelf-dev libssl-dev bc flex bison libc6-dev pkgconf"

missing=
for package in $packages; do
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || true
	[ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
[ "$(id -u)" = 0 ] && root= || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
$root apt-get install -y -qq --no-install-recommends $missing
