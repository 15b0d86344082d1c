# SPDX-License-Identifier: GPL-2.0
"""Tests how `limpet doctor --config` and `limpet attach --config` read limpet.conf."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
LIMPET = Path(os.environ.get("LIMPET") or TOP / "build/cli/limpet")


def check(path):
    """Returns the exit code and the lines of `limpet doctor --config FILE`."""
    done = subprocess.run([LIMPET, "doctor", "--config", path], text=True, timeout=20, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.splitlines()


def test_installed_file_and_all_its_examples():
    """The installed file has no mistake. The file and its manual page have all settings."""
    path = TOP / "packaging/limpet.conf"
    assert check(path) == (0, [f"{path}: no mistake, settings: 0, mode: beside"])
    named = re.findall(r"^#([a-z-]+) = ", path.read_text(), re.M)
    shown = subprocess.run([LIMPET, "attach", "--help"], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^  --([a-z-]+) ", shown, re.M)
    assert sorted(named) == sorted(set(options) - {"config"})
    manual = (TOP / "cli/man/limpet.conf.5").read_text()
    assert [name for name in named if not re.search(rf"\bCm {name} No =", manual)] == []


def test_good(tmp_path):
    file = tmp_path / "vmlinuz"
    file.touch()
    path = tmp_path / "limpet.conf"
    path.write_text(f"  # comment\n\nbeneath = yes\nmemory=128\n heartbeat =  5 \nkernel = {file}\ninitrd = {file}\n"
                    "append = quiet panic=5 a = b\n")
    assert check(path) == (0, [f"{path}: no mistake, settings: 6, mode: beneath"])


BAD = [
    ("memry = 5", "1: There is no setting 'memry'. Did you mean 'memory'?"),
    ("colour = red", "1: There is no setting 'colour'. See limpet.conf(5)."),
    ("beneath", "1: 'beneath' does not have the form NAME = VALUE."),
    ("beneath = maybe", "1: beneath = maybe: must be yes or no"),
    ("beneath =", "1: beneath has no value."),
    ("beneath = maybe\nmemory = 64\nkernel = /etc/passwd\ninitrd = /etc/passwd",
     "1: beneath = maybe: must be yes or no"),
    ("beneth = yes\nmemory = 64", "1: There is no setting 'beneth'. Did you mean 'beneath'?"),
    ("beneath = yes\n\nmemory = 3", "3: memory = 3: must be 4 to 4096 MiB"),
    ("beneath = yes\nheartbeat = 9x", "2: heartbeat = 9x: must be 1 to 3600 seconds"),
    ("beneath = yes\nbeneath = no", "2: beneath is set a second time. It was first set in line 1."),
    ("memory = 64", "1: memory needs beneath = yes."),
    ("beneath = yes\nkernel = /etc/passwd", "2: kernel needs initrd."),
    ("beneath = yes\nappend = quiet", "2: append needs kernel."),
    ("module = limpet.ko", "1: module = limpet.ko: must be an absolute path"),
    ("module = /nonexistent/limpet.ko",
     "1: module = /nonexistent/limpet.ko: No such file or directory. Correct the path."),
    ("force-check = none-such", "1: force-check = none-such: `limpet doctor` has no such check."),
]


@pytest.mark.parametrize("text, message", BAD)
def test_each_mistake(tmp_path, text, message):
    """A mistake is reported with the file, the line and the reason."""
    path = tmp_path / "limpet.conf"
    path.write_text(text + "\n")
    assert check(path) == (1, [f"limpet doctor: {path}:{message}"])


def test_all_mistakes_of_a_file(tmp_path):
    path = tmp_path / "limpet.conf"
    path.write_text("".join(f"{line}\n" for line in ("beneath = no", "speed = 5", "memory = big", "module = x")))
    code, lines = check(path)
    assert code == 1 and [line.split(":")[2] for line in lines] == ["2", "3", "4"]


@pytest.mark.parametrize("write, message", [
    (lambda path: None, "No such file or directory. Name a file as in limpet.conf(5)."),
    (lambda path: path.mkdir(), "Is a directory. Name a file as in limpet.conf(5)."),
    (lambda path: path.write_bytes(b"a = b\0"), "The file is not a text file, because it has a byte 0."),
    (lambda path: path.write_bytes(b"#" * 70000), "The file is longer than 65536 bytes."),
])
def test_unreadable_file(tmp_path, write, message):
    path = tmp_path / "limpet.conf"
    write(path)
    assert check(path) == (1, [f"limpet doctor: {path}: {message}"])


def test_random_bytes(tmp_path):
    """A file of random bytes is refused with a message, or has no mistake."""
    path = tmp_path / "limpet.conf"
    for seed in range(40):
        path.write_bytes(bytes((seed * 97 + i * i * 31 + (i >> 3)) % 255 + 1 for i in range(200)))
        done = subprocess.run([LIMPET, "doctor", "--config", path], capture_output=True, timeout=20, check=False)
        assert done.returncode in (0, 1) and (done.returncode == 0) == (not done.stderr)


def test_installed_systems_are_checked(tmp_path):
    """Without a file, doctor checks the installed file and the installed images below --root."""
    folder = tmp_path / "etc/limpet/systems"
    folder.mkdir(parents=True)
    (tmp_path / "etc/limpet/limpet.conf").touch()
    words = [LIMPET, "doctor", "--root", tmp_path, "--config"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, f"{folder}: no mistake, systems: 0")
    (folder / "torn.limpet").write_bytes(b"no image")
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1 and f"{folder}/torn.limpet" in done.stderr


@pytest.mark.parametrize("words", [
    ["--config", "x", "--beneath"], ["--config=x", "--beneath"], ["--beneath", "--config=x"],
])
def test_config_excludes_the_other_options_of_attach(words):
    done = subprocess.run([LIMPET, "attach", *words], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2 and "must be in the file" in done.stderr


def test_config_excludes_json_of_doctor():
    done = subprocess.run([LIMPET, "doctor", "--json", "--config"], capture_output=True, text=True, timeout=20,
                          check=False)
    assert done.returncode == 2 and "--config and --json exclude each other" in done.stderr
