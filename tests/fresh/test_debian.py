# SPDX-License-Identifier: GPL-2.0
"""Tests the packages in a booted Debian with systemd, under QEMU.

The steps are: install, reboot, reload-linux and metrics in beneath mode, second kernel, upgrade, purge. Each step
continues with the disk of the previous step. The two steps that compile the module do not boot the disk.
"""

import os
import re
import runpy
import subprocess

import pytest

from tests.harness import debian
from tests.harness.kernels import pair
from tests.harness.suites import Suites

from .packages import NAMES, SNAPSHOT, TOP, debs, version

RELEASES = os.environ.get("RELEASE", "").split() or ["bookworm"]
#: Waits until the unit is active, and checks that the system runs.
RUNS = """
i=0; until systemctl is-active limpet@control; do i=$((i+1)); test $i -lt 300; sleep 1; done
limpet ps | tee /run/trial/ps
grep -q control /run/trial/ps
"""
BEFORE = f"""{SNAPSHOT}
mkdir /var/trial && snapshot /var/trial/before
"""
INSTALL = """
apt-get install -y ./*.deb
kernel=$(ls /lib/modules)
dkms status limpet | tee /run/trial/dkms
grep -q "$kernel.*installed" /run/trial/dkms
modinfo -k "$kernel" -F signer limpet | grep "DKMS module signing key"
cp control.limpet bridge.limpet bridge.bridge /etc/limpet/systems/
cp peer /var/trial/
limpet doctor --config
systemctl enable limpet@control
"""
UPGRADE = f"""{RUNS}
journalctl -u limpet@control --no-pager | grep "control runs"
refused() {{
	if "$@" >/run/trial/said 2>&1; then exit 1; fi
	cat /run/trial/said
	grep "the upgrade is refused because Limpet is attached" /run/trial/said
}}
refused apt-get install -y ./newer/limpet_*.deb ./newer/limpet-bridge_*.deb ./newer/limpet-dkms_*.deb
refused dpkg -i ./newer/liblimpet0_later.deb
refused dpkg -i ./newer/python3-limpet_later.deb
for package in limpet limpet-bridge limpet-dkms liblimpet0 python3-limpet; do
	test "$(dpkg-query -f '${{db:Status-Abbrev}} ${{Version}}' -W $package)" = "ii  {version()}"
done
systemctl is-active limpet@control
limpet --version | grep -F "limpet {version()},"
uname -r >/var/trial/kernel
"""
#: limpet.conf chooses beneath mode, and names the Linux that is started when this one has died.
CHOOSE = """
cp -p /etc/limpet/limpet.conf /var/trial/
printf '%s = %s\\n' beneath yes kernel /vmlinuz initrd /initrd.img >>/etc/limpet/limpet.conf
limpet doctor --config
systemctl enable limpet-exporter
"""
#: Runs in two Linuxes: the script is started again in the one that reload-linux starts. `counts` prints the number of
#: restarts of Linux, of dispatches of the loop, and the time at which the system was loaded.
RELOAD = f"""{RUNS}
counts() {{
	limpet ps --json | /usr/bin/python3 -c 'if True:
		import json, sys, time
		ps = json.load(sys.stdin)
		dispatches = [thread["dispatches"] for thread in ps["threads"] if thread["home"] == "control"]
		print(ps["restarts"], dispatches[0], round(time.time() - ps["uptime"]))'
}}
continues() {{
	counts >/run/trial/counts
	cat /run/trial/counts
	read restarts dispatches loaded </run/trial/counts
	test $restarts = 1 && test $dispatches -gt $before
	test $((loaded - began)) -le 10 && test $((began - loaded)) -le 10
}}
if [ ! -e /var/trial/counts ]; then
	mkdir -p /var/log/journal
	journalctl --flush
	counts >/var/trial/counts
	grep "^0 " /var/trial/counts
	limpet reload-linux
	sleep infinity
fi
read restarts before began </var/trial/counts
continues
limpet ps | grep "the last time because it requested the restart"
journalctl -b -1 -u limpet@control --no-pager | grep "restarts Linux, and control continues"
journalctl -b -1 -u limpet-attach --no-pager | grep "not detached"
journalctl -b -u limpet@control --no-pager | grep "control runs"
test "$(grep -lx limpet-host /proc/[0-9]*/comm)" = "/proc/$(systemctl show --value -p MainPID limpet@control)/comm"
systemctl kill --kill-who=main --signal=KILL limpet@control
i=0; until systemctl show -p NRestarts limpet@control | grep NRestarts=1; do i=$((i+1)); test $i -lt 300; sleep 1; done
{RUNS}
continues
echo "ends in order"
reboot
sleep infinity
"""
#: The orderly end of the second Linux stopped the system and detached.
ENDED = """
journalctl -D /var/log/journal -b -u limpet@control -u limpet-attach --no-pager | tee /run/trial/journal
grep "stopping control" /run/trial/journal
grep "control was stopped" /run/trial/journal
grep "detached$" /run/trial/journal | grep -v "not detached"
rm -r /var/log/journal
"""
BENEATH = f"""{RUNS}
systemctl is-active limpet-attach limpet-exporter
journalctl -u limpet-attach -u limpet-exporter --no-pager
metrics() {{
	/usr/bin/python3 -c 'from urllib.request import urlopen
print(urlopen("http://127.0.0.1:9740/metrics", timeout=60).read().decode())' >/run/trial/metrics
}}
metrics
grep -x "limpet_attached 1" /run/trial/metrics
grep 'limpet_system_info.*system="control".*mode="beneath"' /run/trial/metrics
grep 'limpet_component_invocations_total.*component="control"' /run/trial/metrics
systemctl stop limpet-attach
test ! -e /sys/module/limpet
if systemctl is-active limpet@control; then exit 1; fi
systemctl is-active limpet-exporter
metrics
grep -x "limpet_attached 0" /run/trial/metrics
grep -x "limpet_up 0" /run/trial/metrics
systemctl stop limpet-exporter
if metrics; then exit 1; fi
systemctl disable limpet-exporter
mv /var/trial/limpet.conf /etc/limpet/limpet.conf
"""
KERNEL = """
apt-get install -y ./*.deb
dkms status limpet | tee /run/trial/dkms
test "$(grep -c installed /run/trial/dkms)" = 2
"""
#: DDS uses the loopback device, because the guest has no other one.
LOOPBACK = """
cat >/run/trial/dds.xml <<END
<CycloneDDS><Domain id="any"><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>
END
export CYCLONEDDS_URI=file:///run/trial/dds.xml
mkdir -p /run/systemd/system/limpet-bridge@.service.d
printf '[Service]\\nEnvironment=%s\\n' CYCLONEDDS_URI=$CYCLONEDDS_URI >/run/systemd/system/limpet-bridge@.service.d/dds.conf
systemctl daemon-reload
"""
LAST = f"""{SNAPSHOT}
{RUNS}
test "$(uname -r)" != "$(cat /var/trial/kernel)"
modinfo -n limpet | grep "$(uname -r)"
systemctl kill --kill-who=main --signal=KILL limpet@control
i=0; until systemctl show -p NRestarts limpet@control | grep NRestarts=1; do i=$((i+1)); test $i -lt 300; sleep 1; done
{RUNS}
systemctl disable limpet@control
systemctl stop limpet-attach
test ! -e /sys/module/limpet
apt-get install -y ./newer/alone.deb ./newer/limpet-bridge_*.deb
dpkg-query -W limpet | grep -F "{version()}+later"
systemctl start limpet@control
limpet ps
systemctl stop limpet@control
{LOOPBACK}
systemctl start limpet@bridge limpet-bridge@bridge
/var/trial/peer take rt/speed 100 >/run/trial/numbers &
/var/trial/peer send-one rt/count 100
wait $!
seq 0 99 | diff - /run/trial/numbers
systemctl is-active limpet-bridge@bridge
apt-get purge -y {" ".join(sorted(NAMES))}
test ! -e /sys/module/limpet
if systemctl is-active limpet-bridge@bridge; then exit 1; fi
rm /etc/limpet/systems/control.limpet /etc/limpet/systems/bridge.* && rmdir /etc/limpet/systems /etc/limpet
snapshot /var/trial/after
diff /var/trial/before /var/trial/after
echo "nothing is left"
"""


def newer(folder):
    """Makes packages of a later version with the same files, for upgrades. alone.deb accepts the old limpet-dkms."""
    made = []
    later = ("limpet", "limpet-dkms", "limpet-bridge", "liblimpet0", "python3-limpet")
    for name, file, field in (*((name, f"{name}_later", "") for name in later), ("limpet", "alone", "Version: ")):
        tree = folder / file
        subprocess.run(["dpkg-deb", "-R", debs()[name], tree], check=True)
        control = tree / "DEBIAN/control"
        control.write_text(control.read_text().replace(f"{field}{version()}", f"{field}{version()}+later"))
        made.append(folder / f"{file}.deb")
        subprocess.run(["dpkg-deb", "-Znone", "-b", tree, made[-1]], check=True, stdout=subprocess.DEVNULL)
    return made


@pytest.fixture(scope="module", params=RELEASES)
def disk(request, tmp_path_factory):
    """Yields a disk with a freshly installed release. Its attributes list the packages for the steps."""
    folder = tmp_path_factory.mktemp(request.param)
    suites = Suites(request.param, f"{request.param}-security")
    made = debian.Disk(debian.root_of(request.param), folder)
    made.release = request.param
    made.kernel_packages = suites.downloads(pair(suites, "rt-amd64"))
    made.newer_packages = newer(folder)
    yield made
    made.path.unlink()


def booted(disk, name, script, **folders):
    """Runs a step in the guest. Returns the text of its console."""
    result = disk.boot(f"{disk.release}-{name}", script, folders)
    assert result.reason == "poweroff" and result.status == 0, result.report()
    return result.console


def changed(disk, script, **folders):
    """Runs a step in the disk's root on the build machine's kernel."""
    status, said = disk.change(script, folders)
    print(said)
    assert status == 0, f"ended with {status}"


def test_install(disk):
    """apt installs the packages in a system that has been booted, and DKMS builds the module."""
    booted(disk, "before", BEFORE)
    folder = TOP / "build/system/channel/bridge"
    runpy.run_path(str(TOP / "tests/system/channel/bridge/build.py"))["build"](folder)
    bridge = [folder / name for name in ("bridge.limpet", "bridge.bridge", "peer")]
    changed(disk, INSTALL, **{".": [*debs().values(), TOP / "build/systems/control.limpet", *bridge]})


def test_boot_and_refused_upgrade(disk):
    """The system runs after a reboot, and an upgrade is refused meanwhile."""
    booted(disk, "upgrade", UPGRADE, newer=disk.newer_packages)


def test_boot_beneath_reload(disk):
    """The system of the units continues while reload-linux restarts Linux, and the unit controls it again."""
    changed(disk, CHOOSE)
    result = disk.boot(f"{disk.release}-reload", RELOAD, {})
    assert result.reason == "guest-reset" and re.search("^ends in order", result.console, re.M), result.report()
    changed(disk, ENDED)


def test_boot_beneath_with_metrics(disk):
    """The units attach in beneath mode, and serve metrics. The exporter continues when Limpet is detached."""
    booted(disk, "beneath", BENEATH)


def test_second_kernel(disk):
    """DKMS builds the module for a kernel that is installed later."""
    changed(disk, KERNEL, **{".": disk.kernel_packages})


def test_boot_second_kernel_restart_purge(disk):
    """The system runs on the second kernel. The unit restarts it. A purge after an upgrade removes all files."""
    assert re.search("^nothing is left", booted(disk, "purge", LAST, newer=disk.newer_packages), re.M)
