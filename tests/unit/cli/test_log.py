# SPDX-License-Identifier: GPL-2.0
"""`limpet log` prints and filters a log that the tests write."""

import json
import os
import struct
import subprocess
import time
from pathlib import Path

import pytest

LIMPET = Path(__file__).parents[3] / "build/cli/limpet"
#: 2026-01-31 12:00:00 UTC.
NOON = 1769860800
LINES = [("demo", 0, "limpet: demo runs"), ("demo", 1, "sched: ready"), ("demo", 2, "loop: <3>it is late"),
         ("demo", 2, "loop: <4>nearly late"), ("other", 60, "loop: \x1b[2J<7>kept"), ("other", 61, "no name")]


def record(offset, seconds, system):
    """Returns a record of the file of times."""
    return struct.pack("<QQ32s", offset, (NOON + seconds) * 10**9 + 5000, system.encode())


@pytest.fixture(name="log", scope="module")
def _log(tmp_path_factory):
    """Returns a folder with a log."""
    folder = tmp_path_factory.mktemp("log")
    text, times = b"", b""
    for system, seconds, line in LINES:
        times += record(len(text), seconds, system)
        text += line.encode() + b"\n"
    (folder / "log").write_bytes(text)
    (folder / "log.times").write_bytes(times)
    return folder


def done(log, *words, **environment):
    """Runs the command. The log is mounted on /run/limpet in a separate mount namespace."""
    script = f'mkdir -p /run/limpet && mount --bind "{log}" /run/limpet && exec "$0" log "$@"'
    return subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, LIMPET, *words],
                          env=os.environ | {"TZ": "UTC"} | environment, capture_output=True, text=True, timeout=60,
                          check=False)


def said(log, *words, **environment):
    """Returns the output of the command."""
    result = done(log, *words, **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_lines_have_time_system_component_and_severity(log):
    assert said(log) == [
        "2026-01-31 12:00:00.000005 demo limpet: demo runs",
        "2026-01-31 12:00:01.000005 demo sched: ready",
        "2026-01-31 12:00:02.000005 demo loop: [error] it is late",
        "2026-01-31 12:00:02.000005 demo loop: [warning] nearly late",
        "2026-01-31 12:01:00.000005 other loop: \\x1b[2J<7>kept",
        "2026-01-31 12:01:01.000005 other no name"]


@pytest.mark.parametrize("words, kept", [
    (["-n", "2"], [4, 5]), (["--lines", "100"], [0, 1, 2, 3, 4, 5]), (["--component", "loop"], [2, 3, 4]),
    (["--component", "limpet"], [0]), (["--severity", "warning"], [2, 3]), (["--severity", "3"], [2]),
    (["--since", "2026-01-31 12:00:02"], [2, 3, 4, 5]), (["--since", "2026-01-31 12:01"], [4, 5]),
    (["--since", "2026-02-01"], []), (["--component", "loop", "-n", "1", "--severity", "error"], [2]),
])
def test_options_select(log, words, kept):
    assert said(log, *words, "--plain") == [LINES[n][2].replace("\x1b", "\\x1b") for n in kept]


def test_json(log):
    lines = [json.loads(line) for line in said(log, "--json")]
    assert lines[2] == {"time": "2026-01-31 12:00:02.000005", "time_ns": (NOON + 2) * 10**9 + 5000, "system": "demo",
                        "component": "loop", "severity": "error", "text": "it is late"}
    assert lines[5]["component"] is None and lines[4]["text"] == "\x1b[2J<7>kept"


def test_a_system_that_ended_is_found_by_its_name(log):
    lines = [json.loads(line) for line in said(log, "--json", LIMPET_SYSTEM="other")]
    assert [line["text"] for line in lines] == ["\x1b[2J<7>kept", "no name"]
    assert all(line["system"] == "other" for line in lines)


def test_the_log_with_the_latest_text_of_a_system_is_used(log, tmp_path):
    for name in ("log", "log.times"):
        (tmp_path / name).write_bytes((log / name).read_bytes())
    (tmp_path / "log@2.1").write_bytes(b"loop: later\n")
    (tmp_path / "log@2.1.times").write_bytes(record(0, 90, "demo"))
    (tmp_path / "log@2").write_bytes(b"loop: of another system\n")
    (tmp_path / "log@2.times").write_bytes(record(0, 99, "third"))
    assert said(tmp_path, "--plain", LIMPET_SYSTEM="demo") == ["loop: later"]
    assert said(tmp_path, "--plain", LIMPET_SYSTEM="other") == [LINES[4][2].replace("\x1b", "\\x1b"), LINES[5][2]]


def test_a_system_without_a_log_is_refused(log):
    result = done(log, LIMPET_SYSTEM="unknown")
    assert result.returncode == 1 and not result.stdout
    assert result.stderr.startswith("limpet log: ") and len(result.stderr.splitlines()) == 1


def test_histograms_are_left_to_the_command_that_draws_them(log, tmp_path):
    histogram = '{"histogram": {"case": "wake", "buckets": [[1, 2]]}}'
    (tmp_path / "log").write_text(f"loop: one\nloop: {histogram}\nloop: two\n")
    assert said(tmp_path) == ["- loop: one", "- loop: two"]
    assert said(tmp_path, "-n", "2") == ["- loop: one", "- loop: two"]
    assert said(tmp_path, "--plain") == ["loop: one", f"loop: {histogram}", "loop: two"]
    assert [json.loads(line)["text"] for line in said(tmp_path, "--json")] == ["one", histogram, "two"]


def test_figures_for_programs_are_omitted(log, tmp_path):
    """People read the text that follows each line for programs."""
    lines = ['control: {"figure": {"unit": "ticks", "median": 1161296}}', "control: timer of limpet: median 22.3 µs",
             'control: {"overruns": {"count": 0}}', 'control: {"mine": 1}']
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    assert said(tmp_path) == ["- " + lines[1], "- " + lines[3]]
    assert said(tmp_path, "--plain") == lines
    assert [json.loads(line)["text"] for line in said(tmp_path, "--json")] == [line[9:] for line in lines]


FAULTY = """
__attribute__((noinline)) void touch(volatile int *p)
{
	*p = 1;
}
int main(void) { touch(0); return 0; }
"""


@pytest.fixture(name="faulty")
def _faulty(tmp_path):
    """Returns the folder of symbols of a component lab, the address of its function, and a folder with its log."""
    symbols, folder = tmp_path / "symbols", tmp_path / "folder"
    symbols.mkdir()
    folder.mkdir()
    (tmp_path / "lab.c").write_text(FAULTY)
    subprocess.run(["gcc", "-g", "-O1", "-no-pie", "-o", symbols / "lab.elf", tmp_path / "lab.c"], check=True, timeout=60)
    named = subprocess.run(["nm", symbols / "lab.elf"], check=True, capture_output=True, text=True, timeout=60).stdout
    address = next(line.split()[0] for line in named.splitlines() if line.endswith(" T touch"))
    text = f"lab: write of unmapped address 0x0 at 0x{address.lstrip('0')} in touch+0x0, thread 3 on CPU 0"
    (folder / "log").write_text(f"limpet: <3>{text}\nliar: {text}\nlimpet: <3>../{text}\nlimpet: no place at 0x1\n"
                                f"limpet: {'x' * 100}{text}\nlimpet: lab: no address\n")
    return symbols, text, folder


def test_source_lines_of_faults(faulty):
    """Only the host process's own lines have a place, and names of components are not paths."""
    symbols, text, folder = faulty
    plain = said(folder)
    assert plain[0] == f"- limpet: [error] {text}"
    shown = said(folder, "--symbols", symbols)
    assert shown[0].startswith(plain[0] + "  ") and shown[0].endswith("lab.c:4")
    assert shown[1:] == plain[1:]
    records = [json.loads(line) for line in said(folder, "--json", "--symbols", symbols)]
    assert records[0]["text"] == text and records[0]["source"].endswith("/lab.c:4")
    assert not any("source" in record for record in records[1:])


def test_symbols_are_refused(log, tmp_path):
    result = done(log, "--symbols", tmp_path / "none")
    assert result.returncode == 1 and not result.stdout
    assert "--symbols" in result.stderr and "No such file" in result.stderr


def test_text_without_times_is_shown(log, tmp_path):
    (tmp_path / "log").write_bytes((log / "log").read_bytes())
    assert said(tmp_path)[1] == "- sched: ready"
    assert json.loads(said(tmp_path, "--json")[1])["time"] is None


def test_the_older_part_is_printed_first(log, tmp_path):
    (tmp_path / "log.1").write_text("old: line\n")
    (tmp_path / "log.1.times").write_bytes(record(0, -1, "before"))
    for name in ("log", "log.times"):
        (tmp_path / name).write_bytes((log / name).read_bytes())
    assert said(tmp_path)[:2] == ["2026-01-31 11:59:59.000005 before old: line",
                                  "2026-01-31 12:00:00.000005 demo limpet: demo runs"]
    assert said(tmp_path, "-n", "6", "--plain")[0] == "limpet: demo runs"


def test_line_across_two_parts(tmp_path):
    """The line has the time at which it ends. Later lines have their own times."""
    (tmp_path / "log.1").write_text("a: long ")
    (tmp_path / "log.1.times").write_bytes(record(0, -1, "s"))
    (tmp_path / "log").write_text("line\nb: next\nc: last\n")
    (tmp_path / "log.times").write_bytes(record(0, 0, "s") + record(5, 1, "s") + record(13, 2, "s"))
    assert said(tmp_path) == ["2026-01-31 12:00:00.000005 s a: long line", "2026-01-31 12:00:01.000005 s b: next",
                              "2026-01-31 12:00:02.000005 s c: last"]


def test_ages_and_a_torn_record(tmp_path):
    now = time.time_ns()
    (tmp_path / "log").write_text("a: old\nb: new\n")
    (tmp_path / "log.times").write_bytes(struct.pack("<QQ32s", 0, now - 7200 * 10**9, b"s")
                                         + struct.pack("<QQ32s", 7, now, b"s") + b"torn")
    assert said(tmp_path, "--since", "1h", "--plain") == ["b: new"]
    assert said(tmp_path, "--since", "3h", "--plain") == ["a: old", "b: new"]
    assert said(tmp_path, "--since", "1d", "--plain") == ["a: old", "b: new"]


@pytest.mark.parametrize("words, line", [
    (["--since", "yesterday"], "limpet log: --since yesterday: must be an age such as 10s, 5m, 2h or 1d, "
                               "or a time such as 2026-01-31 12:00:00 or 12:00"),
    (["-n", "0"], "limpet log: -n 0: must be 1 to 1000000"),
    (["--severity", "bad"], "limpet log: --severity bad: must be emergency, alert, critical, error, warning, notice, "
                            "info or debug"),
    (["--follow", "--previous"], "limpet log: --previous and --follow exclude each other."),
    (["--json", "--plain"], "limpet log: --json and --plain exclude each other."),
])
def test_wrong_values(words, line):
    done = subprocess.run([LIMPET, "log", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.splitlines()[0] == line


def append(folder, text, times):
    """Appends in the order of the host process, which writes the time first."""
    for name, data in (("log.times", times), ("log", text)):
        with open(folder / name, "ab") as file:
            file.write(data)


def test_follow_continues_in_a_new_part(tmp_path):
    append(tmp_path, b"a: one\na: two\n", record(0, 0, "s"))
    script = f'mkdir -p /run/limpet && mount --bind "{tmp_path}" /run/limpet && exec "$0" log -f -n 1'
    with subprocess.Popen(["unshare", "--mount", "--map-root-user", "sh", "-c", script, LIMPET], text=True,
                          env=os.environ | {"TZ": "UTC"}, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == "2026-01-31 12:00:00.000005 s a: two\n"
        append(tmp_path, b"a: three\na: f", record(14, 1, "s"))
        assert running.stdout.readline() == "2026-01-31 12:00:01.000005 s a: three\n"
        append(tmp_path, b"our\n", record(27, 2, "s"))
        assert running.stdout.readline() == "2026-01-31 12:00:01.000005 s a: four\n"
        for name in ("log.times", "log"):
            (tmp_path / name).rename(tmp_path / name.replace("log", "log.1", 1))
        append(tmp_path, b"b: five\n", record(0, 3, "t"))
        assert running.stdout.readline() == "2026-01-31 12:00:03.000005 t b: five\n"
        running.terminate()
