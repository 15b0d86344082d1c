# SPDX-License-Identifier: GPL-2.0
"""Tests the cache flooder, and the periods of suites rtlinux and rtlinux-beneath, without a guest."""

import ctypes
import errno
import json
import os
import re
import resource
import struct
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP))

from bench import graphs, guest, musts, published, report, results     # noqa: E402

WHERE = {"suite": "rtlinux-beneath", "kernel": "6.1", "mode": "beneath", "cpus": 1, "unit": "instructions"}
PAGES_OF_MIB = 256
MADVISE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 28, 22, 38


def figure(case, subject, median=100, **more):
    """Returns a figure as results.figures() makes it of a guest's record."""
    values = {"n": 10, "min": 90, "median": median, "p99": 190, "max": 200, "mean": 110, "stddev": 5}
    record = {"figure": {"suite": "rtlinux", "case": case, "subject": subject} | values}
    return results.figures([record], WHERE)[0] | more


def histogram(case, subject, buckets):
    """Returns a histogram as results.histograms() makes it."""
    return {"case": case, "subject": subject, **WHERE, "buckets": buckets}


def program(name):
    """Returns the path of a program of the suite."""
    path = TOP / "build/bench" / name
    assert path.exists(), f"build/bench/{name} is not built: make unit-python builds it"
    return path


def flood(*arguments, **options):
    """Runs the cache flooder. Returns its status, its messages, and its page faults."""
    with subprocess.Popen([program("flood"), *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          **options) as task:
        said = task.stderr.read()
        _, status, used = os.wait4(task.pid, 0)
        task.returncode = os.waitstatus_to_exitcode(status)
    return task.returncode, said, used.ru_minflt


def test_the_flooder_touches_every_page_in_each_round():
    (_, _, few), (status, said, many) = flood(4, 1), flood(4, 5)
    assert (status, said) == (0, "")
    assert abs(many - few - 4 * 4 * PAGES_OF_MIB) < 100     # the start of a program varies by a few faults


def test_the_flooder_runs_until_it_is_killed():
    with subprocess.Popen([program("flood"), "1"]) as task:
        with pytest.raises(subprocess.TimeoutExpired):
            task.wait(0.5)
        task.kill()


@pytest.mark.parametrize("arguments, why", [
    ([], "usage"), ([1, 2, 3], "usage"), ([65537], "usage"), (["x"], "'x' is not a number"),
    ([1, 0], "'0' is not a number")])
def test_the_flooder_refuses_other_arguments(arguments, why):
    status, said, _ = flood(*arguments)
    assert status == 2 and why in said


def test_the_flooder_needs_its_memory():
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (32 << 20, 32 << 20))

    status, said, _ = flood(64, 1, preexec_fn=limit)
    assert status == 1 and said.startswith("flood: mmap: ")


def without_madvise():
    """Makes madvise() fail with EPERM in this process and in what it executes, by a filter of seccomp."""
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, MADVISE), (0x06, 0, 0, 0x50000 | errno.EPERM), (0x06, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    filter_of = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, 2, filter_of, 0, 0)):
        if ctypes.CDLL(None, use_errno=True).prctl(*words):
            raise OSError(ctypes.get_errno(), "prctl")


def test_the_flooder_ends_if_pages_cannot_be_freed():
    status, said, _ = flood(1, 1, preexec_fn=without_madvise)
    assert status == 1 and said.startswith("flood: madvise: ")


def test_periods_have_a_figure_and_a_histogram():
    if subprocess.run(["chrt", "-f", "1", "true"], check=False).returncode:
        pytest.skip("needs the right to SCHED_FIFO")
    out = subprocess.run([program("real_time"), "linux", "periodic", "-flood"], capture_output=True, text=True,
                         timeout=60, check=True).stdout
    records = [json.loads(line) for line in out.splitlines()]
    [found], [joined] = results.figures(records, WHERE), results.histograms(records, WHERE)
    assert found["case"] == joined["case"] == "periodic-flood"
    assert found["n"] == 2000 == sum(count for _, count in joined["buckets"])
    assert joined["buckets"][-1][0] <= found["max"]


def test_the_script_measures_each_load_that_is_drawn_and_judged():
    script = (TOP / "bench/guest/rtlinux.sh").read_text()
    measured = re.findall(r'measure real_time "\$1" periodic (-\w+)', script)
    assert {"periodic", *("periodic" + suffix for suffix in measured)} == set(graphs.PERIODS)
    assert list(graphs.PERIODS) == list(musts.RTLINUX_PERIODS)
    assert "flood" in guest.PROGRAMS and re.search(r"^\tflood \d+ &$", script, re.M)


BUCKETS = [[192, 3], [256, 1], [384, 4], [704, 1], [30720, 5], [36864, 5], [1 << 20, 1]]


def test_the_integral_of_a_density_is_1():
    values, edges = graphs.density(BUCKETS)
    assert sum(value * (end - start) for value, start, end in zip(values, edges, edges[1:])) == pytest.approx(1)
    assert [value * (end - start) * 20 for value, start, end in zip(values, edges, edges[1:]) if value] == \
        pytest.approx([count for _, count in BUCKETS])


def test_a_bin_has_whole_buckets_and_grows_with_the_value():
    values, edges = graphs.density(BUCKETS)
    assert edges[:6] == [192, 256, 320, 384, 512, 640] and values[2] == 0 and values[0] == pytest.approx(3 / 20 / 64)
    assert [edge for edge in edges if edge % results.width(edge)] == []
    assert all(end - start <= max(results.width(start), start / 5) + results.width(end)
               for start, end in zip(edges, edges[1:]))
    assert edges[-2] <= 1 << 20 < edges[-1]


def test_a_density_can_start_at_0():
    assert graphs.density([[0, 1]]) == ([1 / 64], [0, 64])


def histograms(subjects, cases=tuple(graphs.PERIODS)):
    """Returns the histograms of a run."""
    return [histogram(case, subject, [[128, 1990], [4096, 10]]) for subject in subjects for case in cases]


@pytest.mark.parametrize("suite", graphs.RTLINUX)
def test_a_picture_for_each_subject_has_a_curve_for_each_load(suite, tmp_path, monkeypatch):
    import matplotlib
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")    # text, not outlines
    figures = [figure("periodic", "limpet", suite=suite)]
    found = [record | {"suite": suite} for record in histograms(graphs.THREADS)]
    paths = graphs.write(figures, found, tmp_path)
    assert [path.name for path in paths] == [f"{suite}-limpet-6.1-1.svg", f"{suite}-linux-6.1-1.svg"]
    for path, words, mode in zip(paths, graphs.THREADS.values(), ("beneath", "before attach")):
        text = path.read_text()
        assert f"{words}: Linux 6.1, {mode}, 1 CPU" in text and "density" in text and "in instructions" in text
        assert [label for label in graphs.PERIODS.values() if f">{label}<" not in text] == []
        assert len(re.findall(r"<g id=\"patch_\d+\">\s*<path [^>]*fill: none; stroke: #(?!000000)", text)) >= 4


def test_a_run_without_a_load_or_a_subject_is_drawn_without_it(tmp_path, monkeypatch):
    import matplotlib
    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "none")
    [path] = graphs.write([figure("periodic", "limpet")], histograms(["limpet"], ["periodic"]), tmp_path)
    text = path.read_text()
    assert ">idle<" in text and "cache flooder" not in text
    assert graphs.write([figure("mutex", "limpet")], [], tmp_path) == []


def test_other_suites_have_no_pictures(tmp_path):
    assert graphs.write([figure("invoke-0", "limpet", suite="table1")], [], tmp_path) == []


def test_the_report_prints_the_pictures(monkeypatch, capsys):
    figures, found = [figure("periodic", "limpet")], histograms(["limpet"])
    monkeypatch.setattr(results, "read", lambda path=results.FIGURES: found if path == results.HISTOGRAMS else figures)
    monkeypatch.setattr(graphs, "write", lambda group, given: [Path("a.svg")] if given == found else [])
    assert report.main() == 0
    said = capsys.readouterr().out
    assert "picture: a.svg\n" in said and "wake-up error" not in said


@pytest.mark.parametrize("case", musts.RTLINUX_PERIODS)
def test_each_load_has_the_limit_of_a_period(case):
    for worst, holds in ((musts.RTLINUX_LATE, True), (musts.RTLINUX_LATE + 1, False)):
        assert [verdict.holds for verdict in musts.verdicts([figure(case, "limpet", max=worst)])] == [holds]
    for median, holds in ((100, True), (101, False)):
        beside = [figure(case, subject, value, mode="beside", suite="rtlinux")
                  for subject, value in (("limpet", median), ("linux", 100))]
        assert [verdict.holds for verdict in musts.verdicts(beside)] == [holds]


def test_published_figures_are_those_of_the_suite():
    said = published.report([figure("periodic-both", "limpet")])
    assert "not measured here" in said and "68,000 cycles" in said and "Mehnert et al.: " in said
    assert "SPUMONE" not in said and "Wombat" not in said
    assert "not measured here" not in published.report([figure("periodic", "limpet", suite="rtlinux", mode="beside")])
