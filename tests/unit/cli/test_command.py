# SPDX-License-Identifier: GPL-2.0
"""Tests exit codes, one-line errors and help of the command, without the module.

    /usr/bin/python3 -m pytest -q tests/unit/cli
"""

import json
import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

LIMPET = Path(os.environ.get("LIMPET") or Path(__file__).parents[3] / "build/cli/limpet")
COMMANDS = ["doctor", "attach", "run", "ps", "stat", "log", "crash", "debug", "check", "report", "wcet", "top", "trace", "hist", "exporter",
            "guest", "tun", "proxy", "bridge", "stop", "reload-linux", "detach", "new", "build", "try", "rtlinux", "update"]
GUEST_COMMANDS = ["run", "ps", "attach", "filter", "kill", "release"]


def limpet(*words):
    """Runs the command. Returns the exit code, stdout and stderr."""
    done = subprocess.run([LIMPET, *words], capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout, done.stderr


def test_help_lists_all_commands():
    for words in (["help"], ["--help"], ["-h"]):
        code, out, _ = limpet(*words)
        assert code == 0
        assert all(re.search(rf"^  {name} ", out, re.M) for name in COMMANDS)


def test_the_manual_page_lists_all_commands():
    page = (Path(__file__).parents[3] / "cli/man/limpet.1").read_text()
    listed = limpet("--help")[1].split("usage:")[1].split("\n  --system")[0]
    commands = re.findall(r"^  ([a-z-]+) ", listed, re.M)
    assert len(commands) > 10
    assert not [name for name in commands if f"\n.It Cm {name}\n" not in page]


def test_help_of_formats_is_aligned():
    lines = limpet("trace", "--help")[1].split("--format FORMAT\n")[1].splitlines()
    assert all(line.startswith(" " * 16) for line in lines[:3])


def test_version():
    code, out, _ = limpet("--version")
    assert code == 0 and out.startswith("limpet ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command(name):
    code, out, err = limpet(name, "--help")
    assert code == 0 and not err
    assert f"usage: limpet {name}" in out
    assert limpet("help", name)[1] == out


@pytest.mark.parametrize("name", GUEST_COMMANDS)
def test_help_of_each_command_for_guests(name):
    code, out, err = limpet("guest", name, "--help")
    assert code == 0 and not err
    assert f"usage: limpet guest {name}" in out
    assert re.search(rf"^  {name} ", limpet("guest")[1], re.M)
    page = (Path(__file__).parents[3] / "cli/man/limpet-guest.1").read_text()
    assert f'.Nm "limpet guest {name}"' in page
    for option in set(re.findall(r"--([a-z-]+)", out)):
        assert f"-{option}" in page, f"--{option} is not in limpet-guest.1"


@pytest.mark.parametrize("words", [
    [], ["frob"], ["help", "frob"], ["run"], ["run", "a", "b"], ["ps", "x"], ["ps", "--frob"],
    ["doctor", "--root"], ["run", "--cpus", "", "a"], ["run", "--cpus", "0,,1", "a"],
    ["run", "--cpus", "0 1", "a"], ["run", "--cpus", "-1", "a"], ["run", "--priority", "0", "a"],
    ["run", "--priority", "100", "a"], ["run", "--linux-share", "901", "a"], ["run", "--early", "101", "a"],
    ["run", "--cpus", ",".join(map(str, range(65))), "a"], ["stop", "--timeout", "0"],
    ["stop", "--timeout", "1s"], ["detach", "now"], ["log", "--tail"], ["attach", "limpet.ko"],
    ["attach", "--module"], ["stat", "--json=1"],
    ["exporter"], ["exporter", "--listen", ":1", "--textfile", "/tmp/x"], ["exporter", "--ui", "--textfile", "/tmp/x"], ["exporter", "--interval", "1m"],
    ["trace", "--seconds", "-1"], ["trace", "--format", "xml"], ["trace", "--events", "invoke,"],
    ["trace", "x"], ["hist", "a", "b"], ["hist", "--svg"], ["top", "--batch", "0"], ["top", "--interval", "0"], ["top", "--sort", "size"],
    ["guest", "frob"], ["guest", "run"], ["guest", "run", "--", ], ["guest", "run", "-l", "ls"], ["guest", "run", "--calls", "raed", "ls"],
    ["guest", "attach"], ["guest", "attach", "0"], ["guest", "attach", "1", "2"], ["guest", "filter", "1"], ["guest", "ps", "1"],
    ["guest", "release", "x"], ["guest", "kill", "1", "--signal", "0"],
])
def test_wrong_usage(words):
    code, out, err = limpet(*words)
    assert code == 2 and not out
    lines = err.splitlines()
    assert len(lines) == 2 and lines[0].startswith("limpet") and lines[1].startswith("Try `limpet")


@pytest.mark.parametrize("words, line", [
    (["run", "--linux-share", "5000", "a"], "limpet run: --linux-share 5000: must be 0 to 900 per mille"),
    (["run", "--priority", "x", "a"], "limpet run: --priority x: must be 1 to 99"),
    (["run", "--cpus", "0,,1", "a"], "limpet run: --cpus 0,,1: must be at most 64 numbers of CPUs with "
     "commas between, such as 0,1"),
    (["stop", "--timeout", "1s"], "limpet stop: --timeout 1s: must be 1 to 86400 seconds"),
    (["attach", "--memory", "3"], "limpet attach: --memory 3: must be 4 to 4096 MiB"),
    (["top", "--interval", "0"], "limpet top: --interval 0: must be 1 to 3600000 milliseconds"),
    (["top", "--sort", "size"], "limpet top: --sort size: must be cpu, invocations, misses, dispatches, restarts or name"),
    (["exporter", "--interval", "1m"], "limpet exporter: --interval 1m: must be 0 to 86400 seconds"),
    (["trace", "--format", "xml"], "limpet trace: --format xml: must be ctf or json"),
    (["tun", "--priority", "0", "c"], "limpet tun: --priority 0: must be 1 to 99"),
    (["stat", "--json=1"], "limpet stat: '--json=1': The option takes no value."),
    (["stat", "--jsno"], "limpet stat: There is no option '--jsno'. Did you mean '--json'?"),
    (["stat", "--colour"], "limpet stat: There is no option '--colour'."),
    (["run", "--linuxshare", "5", "a"], "limpet run: There is no option '--linuxshare'. Did you mean '--linux-share'?"),
    (["stat", "--" + "x" * 300], "limpet stat: There is no option '--" + "x" * 300 + "'."),
    (["atach"], "limpet: There is no command 'atach'. Did you mean 'attach'?"),
    (["help", "dotcor"], "limpet: There is no command 'dotcor'. Did you mean 'doctor'?"),
    (["check", "a", "b"], "limpet check: 'b' is one argument too many."),
    (["kubernetes"], "limpet: There is no command 'kubernetes'."),
    (["--verison"], "limpet: There is no option '--verison'. Did you mean '--version'?"), (["-x"], "limpet: There is no option '-x'."),
    (["guest", "relase"], "limpet guest: There is no command 'relase'. Did you mean 'release'?"),
    (["run", "--early", "101", "a"], "limpet run: --early 101: must be 0 to 100 µs"),
    (["trace", "--events", "invoke,foo"], "limpet trace: --events invoke,foo: must be some of "
     "dispatch,invoke,return,event,fault,timer,resume,pause,call,guest-call,guest-result"),
    (["hist", "--json", "--ascii"], "limpet hist: --ascii and --json exclude each other."),
    (["proxy", "c", "can:"], "limpet proxy: 'can:': This is not a valid offer. Give NAME=ACCESS:PATH with the access r, w or rw. "
     "The speed of a serial port follows the access, as in rw,115200. A CAN bus is can:INTERFACE, without other offers."),
    (["proxy", "c", "a=r:/dev", "a=r:/tmp"], "limpet proxy: a=r:/tmp: The name is offered twice. Choose another one."),
    (["new", "compnent", "x"], "limpet new: compnent: must be component, system or project. Did you mean 'component'?"),
    (["new", "component", "x", "--cp"], "limpet new: There is no option '--cp'. Did you mean '--cpp'?"),
    (["new", "component", "x", "--cpp", "--rust"], "limpet new: --rust and --cpp exclude each other."),
    (["new", "component", "x", "--empty"], "limpet new: --empty: A component has no such option. Only a project has it."),
    (["new", "component"], "limpet new: NAME is missing."), (["new"], "limpet new: KIND and NAME are missing."),
    (["build", "all", "--sdkk"], "limpet build: There is no option '--sdkk'. Did you mean '--sdk'?"),
    (["try", "x", "y"], "limpet try: 'y' is one argument too many."),
    (["try", "x", "--cpus", "0"], "limpet try: --cpus 0: must be 1 to 64"),
    (["try", "x", "--timeout", "nan"], "limpet try: --timeout nan: must be 1 to 86400 seconds"),
    (["try", "x", "--file"], "limpet try: Option '--file' needs a value."),
    (["try", "x", "--kernel"], "limpet try: Option '--kernel' needs a value."),
    (["rtlinux", "run", "x", "--priority", "2"], "limpet rtlinux: --priority 2: must be 3 to 255"),
    (["exporter", "--listen", "localhost:80"], "limpet exporter: --listen localhost:80: must be ADDRESS:PORT in numbers, "
     "such as 127.0.0.1:9740, [::1]:9740 or :9740"),
    (["hist", "--svg"], "limpet hist: Option '--svg' needs a value."),
    (["trace", "-o"], "limpet trace: Option '-o' needs a value."),
    (["guest", "kill", "1", "--signal", "65"], "limpet guest kill: --signal 65: must be a number from 1 to 64 or a name such as TERM"),
    (["guest", "release", "1x"], "limpet guest release: PID 1x: must be 1 to 2147483647"),
    (["guest", "filter", "1"], "limpet guest filter: --calls LIST is missing."),
    (["ps", "-x"], "limpet ps: There is no option '-x'."),
])
def test_wrong_option_is_named_with_its_value_and_range(words, line):
    code, out, err = limpet(*words)
    assert code == 2 and not out
    assert err.splitlines()[0] == line


@pytest.mark.parametrize("words, part", [
    (["ps"], "not attached"), (["stat"], "not attached"), (["check", "demo"], "not attached"), (["--system", "demo", "stop"], "not attached"),
    (["run", "/nonexistent"], "/nonexistent: No such file or directory. Name an image made by limpet-compose."),
    (["hist", "/nonexistent"], "/nonexistent: No such file or directory. Name a readable file with lines of `limpet log --plain`."),
    (["attach", "--module", "/nonexistent"], "/nonexistent: No such file or directory. Name limpet.ko, or build it"),
    (["attach", "--module", "/dev/null"], "/dev/null: The file is not a kernel module for x86-64. Name limpet.ko, or build it"),
    (["attach", "--module", "/etc/passwd"], "/etc/passwd: The file is not a kernel module for x86-64. Name limpet.ko"),
    (["stat", "--prometheus"], "not attached"),
    (["exporter", "--textfile", "/nonexistent/x"], "/nonexistent/x: No such file"),
    (["hist", "/proc"], "/proc: Is a directory. Name a readable file"), (["hist", "/dev/null"], "/dev/null: The log has no histogram."),
    (["doctor", "--root", "/nonexistent"], "--root /nonexistent: No such file or directory."),
    (["proxy", "c", "a=r:/nonexistent"], "/nonexistent: No such file or directory. Correct the path"),
    (["guest", "run", "true"], "/dev/limpet/guest: Limpet is not attached"), (["guest", "ps"], "not attached"),
    (["guest", "attach", "1"], "not attached"), (["guest", "release", "1"], "not attached"),
    (["guest", "kill", "1"], "not attached"), (["guest", "filter", "1", "--calls", "all"], "not attached"),
    (["run", "/dev/null"], "is not a regular file"), (["run", "/etc/hostname"], "is too short"),
])
def test_refused_in_one_line(words, part):
    code, out, err = limpet(*words)
    assert code == 1 and not out
    assert len(err.splitlines()) == 1 and part in err


@pytest.mark.parametrize("where, said", [
    ("127.0.0.1:0", r"The exporter listens at 127\.0\.0\.1:(\d+)\.\n"),
    (":0", r"The exporter listens at all addresses, port (\d+)\.\n"),
])
@pytest.mark.parametrize("ui", [False, True])
def test_exporter_prints_its_address(where, said, ui):
    """The exporter answers at the printed port."""
    exporter = subprocess.Popen([LIMPET, "exporter", "--listen", where, *["--ui"] * ui], stderr=subprocess.PIPE, text=True)
    try:
        port = re.fullmatch(said, exporter.stderr.readline())[1]
        if ui:
            host = "localhost" if where == ":0" else "127.0.0.1"
            assert exporter.stderr.readline() == f"The page is at http://{host}:{port}/\n"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
            assert b"\nlimpet_up 0" in answer.read()
    finally:
        exporter.kill()
        exporter.communicate()


@pytest.mark.parametrize("words, line", [
    (["stop"], "No system runs, because Limpet is not attached."), (["stop", "--all"], "No system runs, because Limpet is not attached."),
    (["detach"], "Limpet is not attached."), (["detach", "--stop"], "Limpet is not attached."),
])
def test_stop_without_a_system_is_not_an_error(words, line):
    assert limpet(*words) == (0, f"{line}\n", "")


IMAGE = Path(__file__).parents[3] / "build/systems/idle.limpet"


@pytest.mark.parametrize("content, part", [
    (lambda image: bytes(8192), "magic: The value 0 is not that of a Limpet image"),
    (lambda image: b"random bytes " * 999, "magic: The value 0x62206d6f646e6172 is not that of a Limpet image"),
    (lambda image: image[:-1], "size: The value {} is more than the file's size: the image is truncated"),
    (lambda image: image[:len(image) // 2], "size: The value {} is more than the file's size: the image is truncated"),
    (lambda image: image + bytes(1), "size: The value {} is less than the file's size: other data follows the image"),
    (lambda image: image[:5000] + b"\xa5" + image[5001:], "crc: The value {} does not match the contents: the image is damaged"),
])
def test_run_names_what_is_wrong_with_an_image(tmp_path, content, part):
    image = tmp_path / "bad.limpet"
    good = IMAGE.read_bytes()
    image.write_bytes(content(good))
    value = int.from_bytes(good[16:24] if part.startswith("size") else good[12:16], "little")
    assert limpet("run", str(image)) == (1, "", f"limpet run: {image}: {part.format(hex(value))}. Compose it again.\n")


def test_run_reports_that_limpet_is_not_attached():
    line = "limpet run: /dev/limpet/control: Limpet is not attached. Run `limpet attach` first.\n"
    assert limpet("run", str(IMAGE)) == (1, "", line)


def test_control_characters_of_arguments_do_not_reach_the_terminal():
    _, _, err = limpet("run", "/tmp/\x1b[2Jx\ny")
    assert "\x1b" not in err and len(err.splitlines()) == 1


def test_doctor_json_parses(tmp_path):
    code, out, _ = limpet("doctor", "--json", "--root", str(tmp_path))
    found = json.loads(out)
    assert code == 1 and found["ok"] is False
    names = [check["name"] for check in found["checks"]]
    assert len(set(names)) == len(names)
    for check in found["checks"]:
        assert check["state"] in ("ok", "note", "unknown", "refused")
        if check["state"] == "refused":
            assert check["reason"] and check["remedy"]


def test_doctor_text_shows_reason_and_remedy(tmp_path):
    code, out, _ = limpet("doctor", "--root", str(tmp_path))
    assert code == 1
    assert out.count("why: ") >= out.count(" refused ") > 0
    assert "Limpet cannot attach" in out


@pytest.mark.parametrize("name", ["limpet", *(f"limpet-{name}" for name in COMMANDS)])
def test_manual_page(name):
    page = Path(__file__).parents[3] / f"cli/man/{name}.1"
    text = page.read_text()
    assert ".Sh EXIT STATUS" in text
    for option in set(re.findall(r"--([a-z-]+)", limpet("help", *name.split("-", 1)[1:])[1])):
        assert option == "help" or f"-{option}" in text, f"--{option} is not in {page.name}"
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings=w", "-l", page], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=os.environ | {"MANWIDTH": "80"})
        assert done.returncode == 0 and not done.stderr
