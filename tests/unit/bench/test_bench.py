# SPDX-License-Identifier: GPL-2.0
"""Tests how figures are joined, judged and shown, without a guest."""

import collections
import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP))

from bench import dead, entry, histogram, musts, published, results, run, scale, screen, tables     # noqa: E402
from tests.system.lib import death     # noqa: E402

WHERE = {"suite": "table1", "kernel": "6.1", "mode": "beside", "cpus": 1,
         "unit": "instructions"}


def figure(case, subject, median=100, **more):
    """Returns a figure in the form in which a guest sends it."""
    values = {"n": 10, "min": 90, "median": median, "p99": 190, "max": 200, "mean": 110,
              "stddev": 5}
    return {"suite": "x", "unit": "ticks", "case": case, "subject": subject} | values | more


def job(subject, mean):
    """Returns a figure of the job. Only its mean counts."""
    return figure("job", subject, mean=mean)


def cyclic(values, tmp_path, limit=100000):
    """Returns the output of bench/cyclic.c for values in cyclictest's format."""
    program = TOP / "build/bench/cyclic"
    assert program.exists(), "build/bench/cyclic is not built: make unit-python builds it"
    below = [value for value in values if value < limit]
    times = collections.Counter(below)
    text = "".join(f"{value:06} {times[value]:06}\n" for value in range(limit))
    text += (f"# Total: {len(below):09}\n# Avg Latencies: {sum(values) // len(values):05}\n"
             f"# Max Latencies: {max(values):05}\n"
             f"# Histogram Overflows: {len(values) - len(below):05}\n"
             f"# Histogram Overflow at cycle number:\n# Thread 0:{' 00077 00078' * 60}\n")
    (tmp_path / "histogram").write_text(text)
    out = subprocess.run([program, "subject", tmp_path / "histogram"], capture_output=True,
                         text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def test_a_figure_gets_the_fields_of_the_interface_in_order():
    [done] = results.figures([{"figure": figure("invoke-0", "limpet")}], WHERE)
    assert list(done) == results.FIELDS
    assert done["suite"] == "table1" and done["unit"] == "instructions"


def test_a_figure_that_lacks_a_field_is_refused():
    broken = figure("invoke-0", "limpet")
    del broken["p99"]
    with pytest.raises(ValueError, match="p99"):
        results.figures([{"figure": broken}], WHERE)


def test_reports_of_one_subject_are_joined():
    records = []
    for first, rest in ((0, 9), (64, 1)):
        records += [{"figure": figure("timer", "limpet-idle", min=first, max=first + 63)},
                    {"histogram": {"case": "timer", "subject": "limpet-idle", "part": 1,
                                   "of": 1, "buckets": [[first, rest], [128, 1]]}}]
    [done] = results.figures(records, WHERE)
    assert (done["n"], done["min"], done["max"], done["mean"]) == (20, 0, 127, 110)
    assert done["stddev"] == 5 and done["median"] == 32
    [joined] = results.histograms(records, WHERE)
    assert joined["buckets"] == [[0, 9], [64, 1], [128, 2]]


def test_buckets_are_those_of_the_runtime(tmp_path):
    chance = random.Random(1)
    values = [int(2 ** chance.uniform(6, 16.6)) for _ in range(3000)]
    records = cyclic(values, tmp_path)
    [joined] = results.histograms(records, WHERE)
    floors = [floor for floor, _ in joined["buckets"]]
    assert floors == sorted(floors) and len(set(floors)) == len(floors)
    for value in values:
        assert any(floor <= value < floor + results.width(floor) for floor in floors)
    exact = sorted(values)[1499]
    found = results.quantile(joined["buckets"], 500)
    assert abs(found - exact) <= results.width(exact // 64 * 64)


def test_values_above_the_limit_keep_number_mean_and_maximum(tmp_path):
    values = [1000] * 90 + [200000] * 9 + [2000000]
    [done] = results.figures(cyclic(values, tmp_path), WHERE)
    assert (done["n"], done["median"], done["max"]) == (100, 1000, 2000000)
    assert abs(done["mean"] - sum(values) / 100) < 2


def test_results_replace_their_own_run_only(tmp_path):
    path = tmp_path / "bench.jsonl"
    first = results.figures([{"figure": figure("invoke-0", "limpet")}], WHERE)
    other = [record | {"kernel": "6.12"} for record in first]
    results.replace(first + other, path)
    results.replace([first[0] | {"median": 7}], path)
    assert [(r["kernel"], r["median"]) for r in results.read(path)] == [("6.12", 100), ("6.1", 7)]


@pytest.mark.parametrize("figures, holds", [
    ([figure("invoke-0", "limpet", 128)], [True]),
    ([figure("invoke-0", "limpet", 129)], [False]),
    ([figure("invoke-4", "limpet", 144)], [True]),
    ([figure("invoke-4", "limpet", 145)], [False]),
    ([figure("dispatch", "limpet", 187)], [True]),
    ([figure("dispatch", "limpet", 188)], [False]),
    ([figure("context-switch", "before"), figure("context-switch", "attached", 101)], [False]),
    ([figure("context-switch", "before"), figure("context-switch", "running", 100)], [True]),
    ([figure("null-syscall", "before"), figure("null-syscall", "running", 101)], [False]),
    ([figure("null-syscall", "before"), figure("null-syscall", "after", 100)], [True]),
    ([figure("timer", "limpet-idle", 90), figure("timer", "cyclictest-idle")], [True]),
    ([figure("timer", "limpet-idle", 90, p99=191), figure("timer", "cyclictest-idle")], [False]),
    ([figure("timer", "limpet-loaded", 32), figure("timer", "linux-early-loaded", 5)], [True]),
    ([figure("timer", "limpet-loaded", 32), figure("timer", "linux-early-loaded", 32)], [True]),
    ([figure("timer", "limpet-loaded", 33), figure("timer", "linux-early-loaded", 32)], [False]),
    ([figure("timer", "limpet-loaded", 32, p99=191), figure("timer", "linux-early-loaded", 32)], [False]),
    ([figure("period", "limpet", 115), figure("period", "cyclictest", 100)], [True]),
    ([figure("period", "limpet", 116), figure("period", "cyclictest", 100)], [False]),
    ([job("before", 100000), job("attached", 100100)], [True]),
    ([job("before", 100000), job("attached", 100101)], [False]),
    ([job("before", 100000), job("running", 100101)], [False]),
    ([job("before", 100000), job("attached", 100150), job("after", 100200)], [True]),
    ([figure("timer", "dead", 500, max=1000)], [True]),
    ([figure("timer", "dead", 501, max=1000)], [False]),
    ([figure("timer", "restart", 500, max=1001)], [False]),
    ([figure("restart", "limpet", 130), figure("restart", "cold-boot", 100)], [True]),
    ([figure("restart", "limpet", 131), figure("restart", "cold-boot", 100)], [False]),
    ([figure("job", "beneath", 101000), figure("job", "native", 100000)], [True]),
    ([figure("job", "beneath", 101001), figure("job", "native", 100000)], [False]),
    ([figure("null-syscall", "beneath", 101), figure("null-syscall", "native", 100)], [False]),
    ([figure("sleep-loaded", "limpet", p99=10), figure("sleep-loaded", "linux", 100)], [True]),
    ([figure("sleep-loaded", "limpet", p99=11), figure("sleep-loaded", "linux", 100)], [False]),
    ([figure("sleep-slice-loaded", "limpet", p99=10), figure("sleep-loaded", "limpet", p99=99),
      figure("sleep-loaded", "linux", 100)], [True]),
    ([figure("sleep-slice-loaded", "limpet", p99=31), figure("sleep-slack-loaded", "linux", 100)], [False]),
    ([figure("rpc", "beneath-pipe", 120, mean=102), figure("rpc", "native-pipe", 100, mean=100)], [True]),
    ([figure("rpc", "beneath-pipe", 100, mean=103), figure("rpc", "native-pipe", 100, mean=100)], [False]),
    ([figure("lock", "limpet", 40), figure("lock", "limpet.queue", 90)], [True]),
    ([figure("lock", "limpet", 41)], [False]),
    ([figure("block-dispatch", "limpet", 500), figure("block-dispatch", "linux", 600)], [True]),
    ([figure("block-dispatch", "limpet", 501)], [False]),
    ([figure("timer", "limpet", 100, p99=300), figure("timer", "cyclictest", 100)], [True]),
    ([figure("timer", "limpet", 101), figure("timer", "cyclictest", 100)], [False]),
    ([figure("udp", "linux-udp", 100), figure("udp", "limpet0", 94)], [True]),
    ([figure("udp", "linux-udp", 100), figure("udp", "limpet0", 95)], [False]),
    ([figure("invoke-0", "limpet", 100), figure("chain-25", "limpet", 2750)], [True, True]),
    ([figure("invoke-0", "limpet", 100), figure("chain-25", "limpet", 2751)], [True, False]),
    ([figure("invoke-0", "limpet", 100), figure("chain-25", "limpet", 2249)], [True, False]),
])
def test_musts(figures, holds):
    figures = [record | WHERE for record in figures]
    assert [verdict.holds for verdict in musts.verdicts(figures)] == holds


@pytest.mark.parametrize("median, holds", [(100, True), (101, False)])
def test_a_datagram_on_preempt_rt_arrives_as_fast_as_at_a_socket(median, holds):
    figures = [record | WHERE | {"kernel": "6.1-rt"}
               for record in (figure("udp", "linux-udp", 100), figure("udp", "limpet0", median))]
    assert [verdict.holds for verdict in musts.verdicts(figures)] == [holds]


def test_table_is_aligned_and_shows_verdicts():
    figures = results.figures([{"figure": figure("dispatch", "limpet", 250)},
                               {"figure": figure("invoke-0", "limpet")}], WHERE)
    lines = tables.table(figures).splitlines()
    assert lines[0].startswith("table1: Linux 6.1, beside, 1 CPU, in instructions")
    assert "ok   median <= 128" in lines[2] and "NOT  median <= 187" in lines[3]
    assert lines[2].index("ok  ") == lines[3].index("NOT")


def test_histogram_text_shows_all_that_is_there():
    text = histogram.text([{"subject": "limpet-idle", "buckets": [[768, 9999], [40960, 1]]},
                           {"subject": "cyclictest-idle", "buckets": [[3648, 10]]}])
    assert "100.0%" in text and "<0.1%" in text
    assert max(len(line) for line in text.splitlines()) <= 100
    for row in range(10, 40):
        assert histogram.row_of(histogram.row_floor(row)) == row


def test_bars():
    assert histogram.bar(0).strip() == ""
    assert histogram.bar(1e-9).strip() == "▏"
    assert histogram.bar(1) == "█" * histogram.BAR


def test_kernels_stand_side_by_side():
    figures = [figure("timer", "idle", 472) | WHERE, figure("timer", "idle", 473) | WHERE |
               {"kernel": "6.1-rt"}, figure("timer", "cpu", 480) | WHERE]
    lines = tables.side_by_side(figures).splitlines()
    assert lines[1].split() == ["case", "subject", "6.1", "max", "6.1-rt", "max"]
    assert lines[2].split() == ["timer", "idle", "472", "200", "473", "200"]
    assert lines[3].split() == ["timer", "cpu", "480", "200", "-", "-"]
    assert not tables.side_by_side(figures[:1])


def test_published_figures_stand_below_those_beneath_only():
    figures = [figure("job", "beneath") | WHERE]
    assert "not measured here" not in published.report(figures)
    beneath = published.report([figures[0] | {"suite": "beneath", "mode": "beneath"}])
    assert "not measured here" in beneath and "1.4 %" in beneath


def test_pictures_of_both_modes(tmp_path):
    for mode, subjects in (("beside", ["limpet-idle", "cyclictest-idle", "limpet-loaded"]),
                           ("beneath", [*musts.LOADS, "cyclictest-idle", "cyclictest-mix"])):
        path = tmp_path / f"{mode}.png"
        histogram.png([{"subject": subject, "unit": "instructions", "mode": mode,
                        "buckets": [[448, 10], [3648, 1]]} for subject in subjects], path, mode)
        assert path.read_bytes().startswith(b"\x89PNG")
        assert not set(subjects) - {name for panel in histogram.PANELS.values() for name in panel}
        assert not set(subjects) - set(histogram.COLUMNS)


@pytest.mark.parametrize("subjects, status", [({"restart": 1, "page": 1}, 0), ({"restart": 150_001, "page": 1}, 1),
                                              ({"page": 1}, 1)])
def test_make_bench_fails_if_a_figure_is_missing_or_too_large(monkeypatch, subjects, status):
    figures = [figure(case, "limpet", median) | WHERE | {"suite": "fault"} for case, median in subjects.items()]
    monkeypatch.setattr(run, "measure", lambda *words, **options: figures)
    monkeypatch.setattr(run, "report", lambda figures: "")
    assert run.main(["--suite", "fault"]) == status


def test_each_suite_has_requirements():
    assert set(musts.REQUIREMENTS) == set(run.SUITES)
    assert musts.required("exec", [], quick=True) == 13 and musts.required("exec", [], quick=False) == 19


def test_instructions_are_not_counted_with_kvm(monkeypatch, capsys):
    monkeypatch.setenv("ACCEL", "kvm")
    assert run.main(["--suite", "fault"]) == 1
    assert "ACCEL=kvm: the figures are instructions" in capsys.readouterr().err


def hidden(text, *, dropped=0, read=0, size=65536):
    """Returns memory with a console's ring after the page in which the booter has made its head."""
    def page(head, tail, data):
        begin = struct.pack("<QII", death.MAGIC, death.VERSION, size).ljust(death.HEAD, b"\0")
        counters = struct.pack("<QQ", head, dropped).ljust(death.TAIL - death.HEAD, b"\0")
        return (begin + counters + struct.pack("<Q", tail)).ljust(death.DATA, b"\0") + data

    at = read % size
    data = (b"\0" * at + text)[:size] + b"\0" * max(0, size - at - len(text))
    data = text[size - at:] + data[max(0, len(text) - size + at):]
    return b"\1" * death.PAGE + page(0, 0, b"").ljust(death.PAGE, b"\0") + page(read + len(text), read, data)


def told(reports):
    """Returns the loop's output of these reports."""
    return "".join(f'control: {json.dumps({"figure": figure("timer", "limpet", median=n)})}\n'
                   'control: {"overruns": {"subject": "limpet", "count": 0}}\n'
                   for n in range(reports)).encode()


@pytest.mark.parametrize("read", [0, 35, 65000])
def test_the_console_of_a_dead_linux_is_read(read):
    text = told(dead.REPORTS + 2)
    assert death.ring(hidden(text, read=read, dropped=7)) == (read, 7, text.decode())


def test_a_dead_loop_writes_nothing_and_a_live_one_more_text():
    """Other memory, and what a Linux reads, are no output. Text that a full ring has dropped is output."""
    text = told(3)
    before = death.written(hidden(text, read=35, dropped=7))
    assert death.written(hidden(text, read=35, dropped=7) + b"other memory") == before
    assert death.written(hidden(text[10:], read=45, dropped=7)) == before
    assert death.written(hidden(text + b"more", read=35, dropped=7)) > before
    assert death.written(hidden(text, read=35, dropped=8)) > before


def test_no_console_is_an_error():
    with pytest.raises(RuntimeError, match="no console"):
        death.ring(b"\0" * 4 * death.PAGE)


def test_reports_of_a_dead_linux_are_those_after_the_one_in_which_it_died():
    assert not dead.reports(told(dead.REPORTS + 1).decode())
    found = [record["figure"]["median"] for record in dead.reports(told(dead.REPORTS + 2).decode())
             if "figure" in record]
    assert found == list(range(1, dead.REPORTS + 1))


def test_the_hook_stands_behind_the_kernel_and_nothing_else_changes():
    kernel = bytearray(random.Random(1).randbytes(20001))
    kernel[entry.SETUP_SECTORS] = 3
    kernel[entry.SIGNATURE:entry.SIGNATURE + 4] = b"HdrS"
    kernel[entry.LOADFLAGS] = entry.LOADED_HIGH
    struct.pack_into("<I", kernel, entry.CODE32_START, 0x100000)
    noted = bytearray(entry.noted(bytes(kernel)))
    [start] = struct.unpack_from("<I", noted, entry.CODE32_START)
    assert noted[4 * entry.SECTOR + start - 0x100000:] == entry.hook(0x100000)
    struct.pack_into("<I", noted, entry.CODE32_START, 0x100000)
    assert noted[:len(kernel)] == kernel
    with pytest.raises(ValueError, match="bzImage"):
        entry.noted(bytes(20001))


def test_a_log_becomes_a_picture(tmp_path):
    log = tmp_path / "log"
    report = {"suite": "table1", "case": "timer", "subject": "limpet", "unit": "ticks"}
    log.write_text("control: begins\n" + "".join(
        "control: " + json.dumps({"histogram": report | {"buckets": buckets}}) + "\n"
        for buckets in ([[704, 350], [768, 7182]], [[768, 18], [40960, 1]])))
    [found] = histogram.of_log(log.read_text().splitlines())
    assert found["buckets"] == [[704, 350], [768, 7200], [40960, 1]] and found["unit"] == "ticks"
    assert histogram.main([str(log), "-o", str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    log.write_text("nothing\n")
    assert histogram.main([str(log), "-o", str(tmp_path / "b.png")]) == 1


def test_a_trace_may_cost_a_quarter_of_an_invocation():
    where = WHERE | {"suite": "trace"}

    def found(off, on):
        figures = results.figures([{"figure": figure("invoke-0", "off", off)},
                                   {"figure": figure("invoke-0", "on", on)}], where)
        return [verdict.holds for verdict in musts.verdicts(figures)]

    assert found(128, 160) == [True, True]
    assert found(128, 161) == [True, False]
    assert found(151, 160) == [False, True]


def scaled(case, median, unit="instructions"):
    """Returns the figures of one record of suite scale."""
    return results.figures([{"figure": figure(case, "limpet", median=median, unit=unit)}],
                           WHERE | {"suite": "scale"})[0]


def test_growth_is_judged_against_the_fewest_threads():
    figures = [scaled("dispatch-1", 500), scaled("dispatch-16", 510), scaled("dispatch-64", 511),
               scaled("wake-1", 500), scaled("wake-16", 1000), scaled("wake-1000", 1151), scaled("wake-64", 900)]
    assert {v.case: v.holds for v in musts.verdicts(figures)} == {
        "dispatch-16": True, "dispatch-64": False, "wake-64": True, "wake-1000": False}


def test_memory_start_and_stop_have_limits():
    figures = [scaled("memory-10", 49152, "bytes"), scaled("memory-100", 49153, "bytes"),
               scaled("start-10", 10 ** 9), scaled("stop-10", 10 ** 9 + 1)]
    assert figures[0]["unit"] == "bytes" and figures[2]["unit"] == "instructions"
    assert {v.case: v.holds for v in musts.verdicts(figures)} == {
        "memory-10": True, "memory-100": False, "start-10": True, "stop-10": False}


def test_cases_of_scale_are_in_the_order_of_n_with_their_units():
    text = tables.table([scaled("memory-10", 5, "bytes"), scaled("wake-16", 1), scaled("wake-2", 1)][::-1])
    cases = [line.split()[0] for line in text.splitlines()[2:]]
    assert cases == ["wake-2", "wake-16", "memory-10"] and "memory-10 (bytes)" in text


def test_systems_of_scale_fit_the_limits(tmp_path):
    assert 1 <= scale.sleepers() <= 1000
    found = scale.systems()
    assert {"scale-sleep", "scale-memory-0", "scale-memory-10", "scale-start-10"} <= set(found)
    for text in found.values():
        assert text.count("[[component]]") < scale.VALUES["LIMPET_COMPONENTS_MAX"]
    scale.plot([scaled("wake-1", 1), scaled("wake-16", 2), scaled("memory-10", 3, "bytes")], tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_screen_names_the_early_wake_up():
    """The table names early waking as the reason for the difference to cyclictest."""
    shown = screen.timer([figure("timer", "limpet-idle", 160), figure("timer", "cyclictest-idle", 3658)], [])
    assert "wakes an idle CPU before the deadline" in shown and "SUITE=table1" in shown
    assert screen.timer([], []) == ""


def test_a_picture_without_matplotlib_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    log = tmp_path / "log"
    log.write_text('loop: {"histogram": {"suite": "s", "case": "c", "subject": "l", "unit": "ticks", "buckets": [[1, 2]]}}\n')
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert histogram.main([str(log), "-o", str(tmp_path / "out.png")]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("bench.histogram: a picture needs matplotlib")
    assert "python3-matplotlib" in said and not (tmp_path / "out.png").exists()
