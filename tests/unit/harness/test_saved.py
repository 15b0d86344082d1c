# SPDX-License-Identifier: GPL-2.0
"""Tests saved states: the machines that use them, their key, and their use by several processes."""

import concurrent.futures
import dataclasses
import fcntl
import os
import threading
import time
from pathlib import Path

import pytest

from tests.harness import saved
from tests.harness.initramfs import Initramfs
from tests.harness.kernels import Kernel
from tests.harness.machine import Machine


@pytest.fixture(autouse=True)
def no_wish(monkeypatch):
    """Removes the harness settings of the caller's environment."""
    monkeypatch.delenv("LIMPET_BOOT", raising=False)
    monkeypatch.delenv("ACCEL", raising=False)


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """Makes a folder for the states of one test."""
    monkeypatch.setattr(saved, "_place", lambda: tmp_path / "states")
    return tmp_path / "states"


@pytest.fixture
def kernel(tmp_path) -> Kernel:
    """Makes a fake kernel, which never boots."""
    (tmp_path / "vmlinuz").write_text("one kernel")
    return Kernel("6.1", "6.1.0", tmp_path / "vmlinuz", *[tmp_path] * 4)


def make(state: saved.State) -> bool:
    """Replaces a boot."""
    (state.folder / "ram").write_bytes(b"\0" * 8192)
    (state.folder / "devices.part").write_text("saved")
    return True


@pytest.mark.parametrize("own", [{"append": "nokaslr"}, {"pti": True}, {"nopti": False}, {"memory": 512},
                                 {"loglevel": 3}, {"forward": ("10.0.2.15:80",)}, {"cable": True}, {"qemu": ("-machine", "q35")},
                                 {"boot": True}])
def test_machines_of_their_own_boot(own):
    """A special command line causes a boot. Kernel, processors, counting and limits do not."""
    assert not saved.usable(Machine(**own))
    assert saved.usable(Machine(kernel="6.12", cpus=2, counted=True, timeout=5, watch=False, newer_qemu=True))


def test_booting_on_request(monkeypatch):
    """LIMPET_BOOT=1, and any accelerator except TCG, cause a boot."""
    monkeypatch.setenv("ACCEL", "kvm")
    assert not saved.usable(Machine())
    monkeypatch.setenv("ACCEL", "tcg")
    assert saved.usable(Machine())
    monkeypatch.setenv("LIMPET_BOOT", "1")
    assert not saved.usable(Machine())


def test_stale_states_are_not_found(kernel, monkeypatch):
    """A change of kernel, machine, QEMU or guest part of the harness changes the key."""
    first = saved._key(Machine(), kernel)
    assert first == saved._key(Machine(timeout=5, watch=False), kernel)
    keys = {first, *(saved._key(Machine(**other), kernel) for other in ({"cpus": 2}, {"counted": True}))}
    root = Initramfs()
    root.text("/init", "another\n")
    with monkeypatch.context() as patch:
        patch.setattr(saved, "base", lambda: root)
        keys.add(saved._key(Machine(), kernel))
    with monkeypatch.context() as patch:
        patch.setattr(Machine, "program", lambda machine: ["/bin/busybox"])
        keys.add(saved._key(Machine(), kernel))
    kernel.vmlinuz.write_text("another kernel")
    keys.add(saved._key(Machine(), kernel))
    assert len(keys) == 6


def test_made_once_and_shared(place, kernel):
    """With many parallel users one makes the state, and all use it at the same time."""
    made, all_there = [], threading.Barrier(8)

    def slow(state):
        time.sleep(0.2)
        made.append(state)
        return make(state)

    def use(_):
        with saved.held(Machine(), kernel, slow) as state:
            assert state.complete()
            all_there.wait(60)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    assert len(made) == 1


def test_failure_leaves_nothing(place, kernel):
    """If a guest fails before its state is saved, the next user tries again."""
    def fails(state):
        (state.folder / "ram").write_text("half")
        raise RuntimeError("panic")

    with pytest.raises(RuntimeError, match="panic"), saved.held(Machine(), kernel, fails):
        pass
    assert not list(place.iterdir())
    with saved.held(Machine(), kernel, make) as state:
        assert state.complete()


def test_unfit_states_are_not_kept(place, kernel):
    """The state of a guest with wrong clocks is not kept. The next user tries again."""
    def unfit(state):
        make(state)
        return False

    with saved.held(Machine(), kernel, unfit) as state:
        assert state is None
        assert not list(place.iterdir())
    with saved.held(Machine(), kernel, make) as state:
        assert state.complete()


@pytest.mark.parametrize("line, fit", [
    ("[    0.044000] tsc: PIT calibration deviates from HPET: 82557 2594165", False),
    ("[    0.048000] tsc: Unable to calibrate against PIT", False),
    ("[    0.601020] APIC calibration not consistent with PM-Timer: 97ms instead of 100ms", False),
    ("[    0.000000] calibrate_delay_direct() failed to get a good estimate for loops_per_jiffy.", False),
    ("[   80.42] clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because", False),
    ("[    1.028000] Kernel panic - not syncing: IO-APIC + timer doesn't work!  Boot with apic=debug", False),
    ("[    0.000000] tsc: Detected 2594.165 MHz processor", True),
    ("[    1.200000] clocksource: Switched to clocksource tsc-early", True),
])
def test_wrong_clocks_are_seen(line, fit):
    """Detects Linux's messages at boot on a machine that is too busy."""
    assert saved.is_fit(["one", line]) == fit


def test_old_states_are_removed(place, kernel):
    """States that were not used for a long time are removed, unless they are in use."""
    for name in ("old", "used", "new"):
        (place / name).mkdir(parents=True)
        (place / name / "ram").write_text("")
    for name in ("old", "used"):
        os.utime(place / name, (0, 0))
    with saved._locked(place / "used", fcntl.LOCK_SH):
        with saved.held(Machine(), kernel, make) as state:
            assert sorted(x.name for x in place.iterdir()) == sorted(["new", "used", state.folder.name])


def test_number_is_bounded(place, kernel, monkeypatch):
    """The least recently used states are removed first."""
    monkeypatch.setattr(saved, "KEPT", 2)
    for age, name in enumerate(("a", "b", "c")):
        (place / name).mkdir(parents=True)
        os.utime(place / name, times=(time.time() - 100 * (age + 1),) * 2)
    with saved.held(Machine(), kernel, make) as state:
        assert sorted(x.name for x in place.iterdir()) == sorted(["a", state.folder.name])


def test_removed_while_waiting(place):
    """If the folder was removed while a user waited for its lock, the user locks a new folder."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with saved._locked(place / "x", fcntl.LOCK_EX):
            def wait():
                with saved._locked(place / "x", fcntl.LOCK_EX) as handle:
                    return os.fstat(handle).st_ino == (place / "x").stat().st_ino
            waiting = pool.submit(wait)
            time.sleep(0.2)
            (place / "x").rmdir()
        assert waiting.result(10)


def test_payload_is_what_the_base_lacks():
    """The archive omits files that the base has with the same content, and has all others."""
    root = Initramfs()
    root.text("/limpet/run.sh", "echo hello\n")
    root.text("/init", "other\n")
    names = root.archive(saved.base())
    assert b"limpet/run.sh" in names and b"init\0" in names
    assert b"busybox" not in names and b"verdict" not in names


def test_base_is_a_machine_that_waits():
    """Only the base of saved guests has /limpet/fetch, in which they stop."""
    assert "limpet/fetch" in saved.base().nodes and "limpet/fetch" not in Initramfs().nodes


def test_machine_fields_are_looked_at():
    """A new field of Machine makes a machine special, unless usable() excludes it."""
    known = {"kernel", "cpus", "counted", "timeout", "watch", "newer_qemu", "loader"}
    for field in dataclasses.fields(Machine):
        if field.name not in known:
            assert not saved.usable(dataclasses.replace(Machine(), **{field.name: object()})), field.name
