# SPDX-License-Identifier: GPL-2.0
"""Tests `make install`, `make uninstall`, the completion for bash, and the systemd units."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]


def make(*words):
    """Runs make without the options of a parent make. Returns its output."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *words], cwd=TOP, env=alone, text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300).stdout


def files(folder):
    """Returns the paths of all files below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Returns a folder with the default parts installed below /opt/limpet."""
    folder = tmp_path_factory.mktemp("root")
    make("install", f"DESTDIR={folder}", "PREFIX=/opt/limpet")
    return folder


def test_installs(installed):
    found = files(installed)
    for name in ("bin/limpet", "bin/limpet-top", "bin/limpet-bridge", "share/man/man1/limpet.1",
                 "share/man/man1/limpet-bridge.1", "lib/systemd/system/limpet-bridge@.service", "share/man/man5/limpet.conf.5",
                 "lib/liblimpet.so", "lib/liblimpet.so.0", "include/liblimpet/client/channel.h",
                 "include/liblimpet/limpet/device.h", "lib/pkgconfig/limpet.pc", "lib/systemd/system/limpet@.service",
                 "lib/python3/dist-packages/limpet/channel.py", "lib/python3/dist-packages/limpet/system.py",
                 "share/bash-completion/completions/limpet"):
        assert f"opt/limpet/{name}" in found, name
    assert {"etc/limpet/limpet.conf", "etc/udev/rules.d/60-limpet.rules"} <= found


def test_units_start_installed_programs(installed):
    """Each program that a unit starts exists at the unit's path, and the command has each of its options."""
    started = 0
    for unit in (installed / "opt/limpet/lib/systemd/system").iterdir():
        for line in re.findall(r"^Exec\w+=(.*)$", unit.read_text(), re.M):
            program, command, *words = line.split()
            shown = subprocess.run([installed / program[1:], command, "--help"], capture_output=True, text=True, check=True)
            assert [word for word in words if word.startswith("--") and f"{word} " not in f"{shown.stdout} "] == [], line
            started += 1
    assert started == 5


@pytest.mark.parametrize("unit, allowed", [
    # The bridge ends when a channel is refused, and systemd then reads the numbers of devices again.
    ("limpet-bridge@.service", {"char-{driver}"}),
    # The exporter continues, and its service can start before the module registers the driver.
    ("limpet-exporter.service", {"char-*"}),
])
def test_units_may_open_channels(unit, allowed):
    """The devices that a unit allows include those that the module creates for channels."""
    source = (TOP / "host/linux/channel/node_create.c").read_text()
    driver = re.search(r'__register_chrdev\(.*, "(\w+)"', source)[1]
    text = (TOP / "packaging/systemd" / unit).read_text()
    assert "\nDevicePolicy=closed\n" in text
    assert set(re.findall(r"^DeviceAllow=(\S+) rw$", text, re.M)) == {name.format(driver=driver) for name in allowed}


def test_headers_of_rtlinux_are_complete(installed, tmp_path):
    """A Linux program of an RTLinux module is built with the installed headers alone."""
    (tmp_path / "partner.c").write_text("#include <rtl_time.h>\n#include <rtl_fifo.h>\n#include <mbuff.h>\n"
                                        "hrtime_t half(struct timespec *t) { return timespec_to_ns(t) / 2; }\n")
    headers = installed / "opt/limpet/include/liblimpet"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-I", headers / "client/rtlinux", "-I", headers, "-c", "partner.c"],
                   cwd=tmp_path, check=True)


def test_times_of_rtlinux_are_those_of_modules():
    """Both headers have a copy, because modules and Linux programs have no include folder in common."""
    program, module = ((TOP / name).read_text() for name in ("cli/client/rtlinux/rtl_time.h", "lib/rtlinux/api.h"))
    copied = program[program.index("#define NSECS_PER_SEC"):program.rindex("#endif")]
    assert len(copied.splitlines()) > 20 and [line for line in copied.splitlines() if line not in module.splitlines()] == []


def test_upgrade_keeps_the_configuration_and_uninstall_removes_the_rest(tmp_path):
    other = tmp_path / "usr/local/lib/other"
    other.parent.mkdir(parents=True)
    other.write_text("of another program")
    make("install", f"DESTDIR={tmp_path}")
    config = tmp_path / "etc/limpet/limpet.conf"
    config.write_text("beneath = yes\n")
    make("install", f"DESTDIR={tmp_path}")
    assert config.read_text() == "beneath = yes\n"
    make("uninstall", f"DESTDIR={tmp_path}")
    assert files(tmp_path) == {"usr/local/lib/other", "etc/limpet/limpet.conf"}
    assert [path for path in tmp_path.rglob("*limpet*") if path.is_dir()] == [tmp_path / "etc/limpet"]
    make("install", f"DESTDIR={tmp_path}")
    (tmp_path / "etc/limpet/limpet.conf").write_bytes((TOP / "packaging/limpet.conf").read_bytes())
    make("uninstall", f"DESTDIR={tmp_path}")
    assert files(tmp_path) == {"usr/local/lib/other"}


def test_version_and_date_are_the_changelog(installed):
    text = (TOP / "packaging/debian/changelog").read_text()
    version = re.match(r"limpet \((.*?)\)", text)[1]
    date = subprocess.run(["date", "-uI", "-d", re.search(r"^ -- .*>  (.*)$", text, re.M)[1]], capture_output=True,
                          text=True, check=True).stdout.strip()
    said = subprocess.run([installed / "opt/limpet/bin/limpet", "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"limpet {version}, {date} (")
    assert f"\nVersion: {version}\n" in (installed / "opt/limpet/lib/pkgconfig/limpet.pc").read_text()


@pytest.mark.parametrize("words, offered", [
    (["det"], {"detach"}),
    (["attach", "--force"], {"--force-check"}),
    (["doctor", "--"], {"--json", "--root", "--config"}),
    (["none-such", "--"], set()),
])
def test_completion_of_bash(installed, words, offered):
    """bash completes the commands and the options that the command's help lists."""
    script = (f". {installed}/opt/limpet/share/bash-completion/completions/limpet; COMP_WORDS=(limpet \"$@\"); "
              "COMP_CWORD=$#; _limpet; printf '%s\\n' \"${COMPREPLY[@]}\"")
    path = f"{installed}/opt/limpet/bin:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=installed, capture_output=True, text=True, check=True,
                          env={**os.environ, "PATH": path}, timeout=20)
    assert set(done.stdout.split()) - {"--help"} == offered


@pytest.mark.parametrize("package", ["limpet", "limpet-bridge", "limpet-dkms", "liblimpet0", "python3-limpet"])
def test_upgrade_waits_for_detach(tmp_path, package):
    """While Limpet is attached, the scripts of the old and of the new package refuse an upgrade."""
    script = (TOP / f"packaging/debian/{package}.prerm").read_text()
    for place in ("/sys/module/limpet", "/dev/limpet/control"):
        assert place in script
        script = script.replace(place, f"{tmp_path}{place}")
    for attached in (False, True):
        for act in ("upgrade", "failed-upgrade"):
            done = subprocess.run(["sh", "-c", script, "prerm", act], capture_output=True, text=True, check=False)
            assert done.returncode == attached
            assert ("the upgrade is refused because Limpet is attached. Nothing was changed" in done.stderr) == attached
        (tmp_path / "sys/module/limpet").mkdir(parents=True, exist_ok=True)
        (tmp_path / "dev/limpet").mkdir(parents=True, exist_ok=True)
        (tmp_path / "dev/limpet/control").touch()


@pytest.mark.parametrize("active, said", [(0, "Its units were stopped, but it could not be detached"),
                                          (3, "Its systems continue")])
def test_refused_removal_says_what_was_stopped(tmp_path, active, said):
    """A removal that cannot detach Limpet does not claim that nothing was changed."""
    script = (TOP / "packaging/debian/limpet.prerm").read_text()
    for place in ("/sys/module/limpet", "/dev/limpet/control", "/run/systemd/system"):
        script = script.replace(place, f"{tmp_path}{place}")
        (tmp_path / place[1:]).mkdir(parents=True)
    for name, status in (("systemctl", active), ("deb-systemd-invoke", 1)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    done = subprocess.run(["sh", "-c", script, "prerm", "remove"], capture_output=True, text=True, check=False,
                          env={"PATH": f"{tmp_path}:/bin"})
    assert done.returncode == 1
    assert f"the removal is refused because Limpet is attached. {said}" in done.stderr


@pytest.mark.parametrize("groupdel, said", [(0, ""), (8, "limpet: group limpet is kept, because it is in use\n")])
def test_purge_ends_if_the_group_is_in_use(tmp_path, groupdel, said):
    """groupdel refuses a group that is the first one of a user."""
    for name, status in (("getent", 0), ("groupdel", groupdel), ("rmdir", 0)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
    done = subprocess.run(["sh", TOP / "packaging/debian/limpet.postrm", "purge"], capture_output=True, text=True, check=False,
                          env={"PATH": f"{tmp_path}:/bin"})
    assert (done.returncode, done.stderr) == (0, said)
