# SPDX-License-Identifier: GPL-2.0
"""Tests figures, pictures and the checks in the programs of suite exec, without a guest."""

import json
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP))

from bench import graphs, musts, results, tables     # noqa: E402

WHERE = {"suite": "exec", "kernel": "6.1", "mode": "beside", "cpus": 1, "unit": "instructions"}


def figure(case, subject, median=100, unit="ticks", **more):
    """Returns a figure as results.figures() makes it of a guest's record."""
    values = {"n": 10, "min": 90, "median": median, "p99": 190, "max": 200, "mean": 110, "stddev": 5}
    record = {"figure": {"suite": "exec", "unit": unit, "case": case, "subject": subject} | values | more}
    return results.figures([record], WHERE)[0]


@pytest.mark.parametrize("received, judged", [(16000, False), (17000, True)])
def test_promises_that_linux_can_receive(received, judged):
    """Checks that promises are required where Linux receives 65,000 datagrams a second in all."""
    figures = [figure(f"stream-rate-{stream}", "linux-same", unit="packets/s", mean=received) for stream in range(4)]
    figures.append(figure("stream-0", "limpet", 90, unit="percent"))
    assert [verdict.holds for verdict in musts.verdicts(figures)] == ([False] if judged else [])


def program(name, *arguments, **options):
    """Runs a program of the suite on this machine."""
    path = TOP / "build/bench" / name
    assert path.exists(), f"build/bench/{name} is not built: make unit-python builds it"
    return subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=60, **options)


def printed(done):
    """Returns the figures that a program printed."""
    assert done.returncode == 0, done.stderr
    return [record["figure"] for line in done.stdout.splitlines() if "figure" in (record := json.loads(line))]


def test_units_other_than_ticks_stay():
    assert figure("stream-0", "linux-same", unit="percent")["unit"] == "percent"
    assert figure("stream-rate-0", "linux-same", unit="packets/s")["unit"] == "packets/s"
    assert figure("null", "linux")["unit"] == "instructions"


def test_the_table_shows_units_in_the_order_of_the_cases():
    text = tables.table([figure("null", "linux"), figure("stream-rate-0", "x", unit="packets/s"),
                         figure("sleep", "linux"), figure("stream-0", "x", unit="percent")])
    assert [line.split("  ")[0] for line in text.splitlines()[2:]] == [
        "null", "sleep", "stream-0 (percent)", "stream-rate-0 (packets/s)"]


def run_of_the_suite(subjects):
    """Returns figures and histograms of a run with these subjects of the streams."""
    figures = [figure("null", "linux")]
    figures += [figure(f"{case}{kind}-{pages}", subject) for case, subject in graphs.SWITCHES
                for kind in ("", "-walks") for pages in graphs.WORKING_SETS]
    for subject in subjects:
        for stream in range(4):
            figures += [figure(f"stream-rate-{stream}", subject, unit="packets/s", mean=20000),
                        figure(f"stream-jitter-{stream}", subject, max=5000000)]
    histograms = [{"case": case + suffix, "subject": subject, **WHERE, "buckets": [[4096, 9], [53248, 1]]}
                  for case, subject in (*graphs.SLEEPS, *graphs.EVENTS) for suffix in graphs.LOADS]
    return figures, histograms


@pytest.mark.parametrize("subjects", [["linux-priority"], list(graphs.STREAMS)])
def test_pictures_show_each_subject(subjects, tmp_path, monkeypatch):
    import matplotlib
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")    # text, not outlines
    figures, histograms = run_of_the_suite(subjects)
    sleep, event, stream, space = [path.read_text() for path in graphs.write(figures, histograms, tmp_path)]
    assert "timer slack 1 ns" in sleep and "two busy processes" in sleep
    assert "Linux, timer signal" in event
    for subject, label in graphs.STREAMS.items():
        assert (label in stream) == (subject in subjects)
    assert "promised" in stream and "best effort" in stream
    assert "spaces of exec.spaces" in space and "pages touched" in space


def test_the_picture_has_the_promises_of_the_script():
    script = (TOP / "bench/guest/exec.sh").read_text()
    rules = (TOP / "systems/stream-files/stream.rules").read_text()
    for stream, promise in enumerate(graphs.PROMISES):
        assert f"{stream}) promise={promise or 'none'} ;;" in script
        assert not promise or f"stream-{stream} promise {promise}\n" in rules


def test_a_call_without_its_answer_is_an_error():
    done = program("system_calls", "served", "nothing", 10)
    assert done.returncode == 1 and "a wrong result" in done.stderr and not done.stdout


def test_a_call_has_the_parent_as_its_result():
    [found] = printed(program("system_calls", "passed", "nothing", 10))
    assert (found["case"], found["subject"], found["n"]) == ("passed", "nothing", 10)


def test_a_fault_is_repaired_by_a_signal_handler():
    [found] = printed(program("page_faults", "fault", "sigsegv"))
    assert found["n"] == 1024


def test_an_unknown_fault_is_refused():
    assert program("page_faults", "fault", "nothing").returncode == 2


@pytest.mark.parametrize("how", ["futex", "yield"])
def test_two_processes_take_turns(how):
    [found] = printed(program("hand_over", "switch", "linux", how, "ordinary", 10))
    assert found["n"] == 10 and found["min"] > 0


@pytest.mark.parametrize("kind, how", [("call", "null"), ("space", "futex"), ("space", "yield")])
def test_a_working_set_has_two_figures_for_each_size(kind, how):
    if subprocess.run(["chrt", "-f", "1", "true"], check=False).returncode:
        pytest.skip("needs the right to SCHED_FIFO")
    found = printed(program("working_set", kind, "linux", how, 10))
    assert [figure["case"] for figure in found] == [
        f"{kind}{part}-{pages}" for pages in graphs.WORKING_SETS for part in ("", "-walks")]
    assert all(0 <= figure["median"] <= int(figure["case"].split("-")[-1])
               for figure in found if figure["unit"] == "pages")


def test_an_unknown_way_is_refused():
    assert program("working_set", "call", "linux", "nothing").returncode == 2


@pytest.mark.parametrize("name", ["nap", "timer_signal"])
def test_a_wait_has_a_figure_and_a_histogram(name):
    done = program(name, "wait", "linux", 3)
    [found] = printed(done)
    [joined] = results.histograms([json.loads(line) for line in done.stdout.splitlines()], WHERE)
    assert found["n"] == 3 == sum(count for _, count in joined["buckets"])


def test_a_command_must_succeed_each_time(tmp_path):
    script = f"echo run >>{tmp_path}/runs; [ $(wc -l <{tmp_path}/runs) -lt 4 ]"
    [found] = printed(program("span", "build", "linux", 2, "sh", "-c", script))
    assert found["n"] == 2      # and one run before them
    done = program("span", "build", "linux", 2, "sh", "-c", script)
    assert done.returncode == 1 and "ended with status" in done.stderr


def receive(packets):
    """Sends datagrams to a task of stream 1 repeatedly, until it ends. Returns its status and messages."""
    seconds = int(time.clock_gettime(time.CLOCK_MONOTONIC)) + 1000
    words = [TOP / "build/bench/packet_task", "1", "20000", "x", str(seconds), "1"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, \
            subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as task:
        while task.poll() is None:
            for packet in packets:
                sender.sendto(packet, ("127.0.0.1", 9001))
            time.sleep(0.01)
        return task.returncode, task.stderr.read()


@pytest.mark.parametrize("packets, why", [
    ([struct.pack("<IIQ", 2, 1, 1)], "a datagram of stream: 2"),
    ([struct.pack("<IIQ", 1, 2, 1), struct.pack("<IIQ", 1, 1, 1)], "not in order, datagram: 1"),
    ([b"short"], "read"),
])
def test_a_task_refuses_wrong_datagrams(packets, why):
    status, said = receive(packets)
    assert status == 1 and why in said
