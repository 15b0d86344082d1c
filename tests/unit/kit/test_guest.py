# SPDX-License-Identifier: BSD-2-Clause
"""Tests the guest of `limpet try`: the files of its root and its machine, without booting it."""

import argparse
import stat
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.harness import guest_python, kernels  # noqa: E402
from tools.compose.errors import Refused  # noqa: E402
from tools.kit import __main__ as kit  # noqa: E402
from tools.kit import guest  # noqa: E402


@pytest.fixture(name="trial")
def _trial(tmp_path):
    """Returns a function that makes the guest's files and machine with options of `limpet try`."""
    for name in ("a.limpet", "limpet.ko.text", "boot/vmlinuz-6.1.0-1-amd64"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "build/cli").mkdir(parents=True)
    (tmp_path / "build/cli/limpet").write_text("command")
    kernel = kernels.installed("6.1.0-1-amd64", tmp_path)

    def make(*words):
        want = kit.parse(["try", "a.limpet", *map(str, words)])
        files = guest.initramfs(want, tmp_path / "a.limpet", kernel, tmp_path / "limpet.ko.text", tmp_path)
        return {path: content.decode(errors="replace") for path, (_, content, _) in files.nodes.items()}, \
            guest.machine(want, kernel), files
    return make


def test_without_options(trial):
    files, machine, _ = trial()
    assert files["limpet/images/a.limpet"] == "a.limpet" and files["limpet/limpet.ko"] == "limpet.ko.text"
    assert files["usr/bin/limpet"] == "command" and "limpet attach $LIMPET_ATTACH\n" in files["limpet/script"]
    assert "LIMPET_ATTACH= LIMPET_SHELL=\n" in files["limpet/run.sh"]
    assert "limpet/vmlinuz" not in files and "usr/bin/python3" not in files
    assert (machine.cpus, machine.counted, machine.watch, machine.append) == (1, False, True, "")


def test_a_script_has_the_mode_in_a_variable(trial, tmp_path):
    (tmp_path / "own.sh").write_text("echo $LIMPET_ATTACH$LIMPET_SHELL.")
    files, _, made = trial("--script", tmp_path / "own.sh", "--beneath")
    assert files["limpet/script"] == "echo $LIMPET_ATTACH$LIMPET_SHELL."
    assert stat.S_IMODE(made.nodes["limpet/script"][0]) == 0o755
    (tmp_path / "run.sh").write_text(files["limpet/run.sh"].replace("/limpet/script", f"sh {tmp_path}/own.sh"))
    assert subprocess.run(["sh", tmp_path / "run.sh"], capture_output=True, text=True, check=True).stdout == "--beneath.\n"


def test_files_are_in_the_folder_of_the_script(trial, tmp_path):
    (tmp_path / "client").write_text("bytes")
    (tmp_path / "client").chmod(0o750)
    files, _, made = trial("--file", tmp_path / "client", "--file", f"{tmp_path}/client:/etc/it/client.d")
    assert files["root/client"] == files["etc/it/client.d"] == "bytes"
    assert stat.S_IMODE(made.nodes["root/client"][0]) == 0o750


def test_a_guest_whose_linux_restarts_has_its_kernel(trial):
    files, machine, _ = trial("--linux-restarts")
    assert files["limpet/vmlinuz"] == "boot/vmlinuz-6.1.0-1-amd64" and "LIMPET_ATTACH=--beneath " in files["limpet/run.sh"]
    assert not machine.watch


def test_machine(trial):
    _, machine, _ = trial("--counted", "--cpus", 2, "--timeout", 7)
    assert (machine.counted, machine.cpus, machine.timeout) == (True, 2, 7)


def test_a_shell_has_limpet_top_if_it_is_installed(trial, tmp_path, monkeypatch):
    monkeypatch.setattr(guest.shutil, "which", lambda name, **_: None if name.startswith("limpet") else f"/bin/{name}")
    files, machine, _ = trial("--shell")
    assert "usr/bin/limpet-top" not in files and machine.append == "limpet.shell"
    assert "LIMPET_SHELL=1\n" in files["limpet/run.sh"]
    (tmp_path / "build/cli/limpet-top").write_text("top")
    assert trial("--shell")[0]["usr/bin/limpet-top"] == "top"


def test_a_shell_needs_a_terminal():
    want = kit.parse(["try", "a.limpet", "--shell"])
    guest.check(want, argparse.Namespace(isatty=lambda: True))
    with pytest.raises(Refused, match="--shell: The standard input is not a terminal"):
        guest.check(want, argparse.Namespace(isatty=lambda: False))


def test_the_command_must_be_built_or_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused, match="The command limpet, which the guest needs"):
        guest.command_of(tmp_path)
    (tmp_path / "limpet").write_text("#!/bin/sh")
    (tmp_path / "limpet").chmod(0o755)
    assert guest.command_of(tmp_path) == tmp_path / "limpet"


def test_python_is_that_of_the_checkout_or_of_the_package(trial, tmp_path, monkeypatch):
    files, _, _ = trial("--python")
    assert "exec /usr/bin/python3" in files["usr/bin/python3"]
    assert guest_python.package() == guest_python.TOP / "python/limpet"
    (tmp_path / "installed/limpet").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "installed")])
    monkeypatch.delitem(sys.modules, "limpet", raising=False)
    with pytest.raises(FileNotFoundError, match="the Python package limpet is not installed"):
        guest_python.package(tmp_path)
    (tmp_path / "installed/limpet/__init__.py").write_text("")
    guest_python.importlib.invalidate_caches()
    assert guest_python.package(tmp_path) == tmp_path / "installed/limpet"


def test_python_without_the_package_is_refused(trial, monkeypatch):
    def missing():
        raise FileNotFoundError("the Python package limpet is not installed")
    monkeypatch.setattr(guest_python, "package", missing)
    with pytest.raises(Refused, match="--python: the Python package limpet is not installed.*apt install python3-limpet"):
        trial("--python")
