# SPDX-License-Identifier: GPL-2.0
"""Tests the package with a script in place of `limpet`, which prints recorded output of the command.

The files in recorded/ are the output of a run of tests/system/tools/python/python.toml.
"""

import contextlib
import json
import shutil
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.insert(0, str(TOP / "python"))

import limpet                                   # noqa: E402

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(name="calls", autouse=True)
def replayed(tmp_path, monkeypatch):
    """Puts the script into PATH, and returns a function that returns the command lines so far."""
    (tmp_path / "bin").mkdir()
    shutil.copy(Path(__file__).parent / "replay.sh", tmp_path / "bin/limpet")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("RECORDED", str(RECORDED))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return lambda: (tmp_path / "calls").read_text().splitlines()


def recorded(name):
    return json.loads((RECORDED / f"{name}.json").read_text())


def test_systems(calls):
    [system] = limpet.ps("python")
    assert system.system == "python" and [c.name for c in system.components][-1] == "calls"
    assert system.threads[2].home == "control" and system.threads[2].priority == 100
    assert limpet.run("/a.limpet", cpus=[1, 2], priority=80, linux_share=100, early_us=0) == "python"
    limpet.stop(every=True, timeout=20)
    assert calls() == ["--system python ps --json",
                       "run --cpus 1,2 --priority 80 --linux-share 100 --early 0 /a.limpet", "stop --all --timeout 20"]


def test_lines_end_at_line_breaks_only(tmp_path, monkeypatch):
    """Python knows more separators of lines, which JSON does not escape."""
    text = "a\x85b\u2028c\u2029d"
    (tmp_path / "ps.json").write_text(json.dumps(recorded("ps") | {"system": text}, ensure_ascii=False) + "\n", encoding="utf-8")
    monkeypatch.setenv("RECORDED", str(tmp_path))
    assert [system.system for system in limpet.ps()] == [text]


def test_each_member_is_there():
    """The classes have all members of the JSON objects, so that no member is lost."""
    for kind, name, lists in ((limpet.System, "ps", {"components": limpet.Component, "threads": limpet.Thread}),
                              (limpet.Counters, "stat", {"cpus": limpet.CpuCounters}),
                              (limpet.Activity, "top", {"cpus": limpet.CpuActivity, "threads": limpet.ThreadActivity,
                                                        "components": limpet.ComponentActivity})):
        value = recorded(name)
        assert list(value) == list(kind.__dataclass_fields__)
        for key, part in lists.items():
            assert list(value[key][0]) == list(part.__dataclass_fields__)
    assert limpet.stat().cpus[0].timers == recorded("stat")["cpus"][0]["timers"]
    assert limpet.top(0.5).seconds == recorded("top")["seconds"]


def test_log(calls):
    lines = limpet.log(component="control", lines=5, since="10m", severity="info")
    assert calls() == ["log --lines 5 --since 10m --component control --severity info --json"]
    assert lines[0].component == "limpet" and lines[-1].time_ns > 10**18
    followed = limpet.follow()
    assert next(followed) == lines[0]
    followed.close()


def test_histograms(calls, tmp_path):
    [histogram] = limpet.hist(ticks=True)
    limpet.hist(tmp_path / "-log")
    assert calls() == ["hist --ticks --json", f"hist {tmp_path / '-log'} --json"]
    assert histogram.counts.sum() == histogram.values == 200 and len(histogram.floors) == len(histogram.counts)
    assert histogram.floors[-1] == histogram.maximum


def test_trace(calls):
    trace = limpet.trace(2, events="timer,dispatch,resume,pause")
    assert calls()[0].startswith("trace --seconds 2 --format json --output /")
    begun = [event for event in recorded("trace")["traceEvents"] if event["ph"] == "B"]
    assert len(trace.slices) == len(begun) > 100
    assert (trace.slices["begin"] <= trace.slices["end"]).all() and trace.lost == 0
    timers = [event["ts"] for event in recorded("trace")["traceEvents"] if event["name"] == "timer"]
    assert trace.marks["time"][trace.marks["name"] == "timer"].tolist() == timers
    assert trace.threads[0, 2] == "control #2"


def test_refusals(monkeypatch, tmp_path):
    with pytest.raises(limpet.LimpetError, match="^limpet detach: a system runs: stop it first$") as refusal:
        limpet.command("detach")
    assert refusal.value.code == 1
    with pytest.raises(limpet.LimpetError, match="exit code 3"):
        limpet.command("nothing")
    with pytest.raises(ValueError, match="at least 1 second"):
        limpet.trace(0)
    (tmp_path / "trace.json").write_text('{"traceEvents": [{"ph": "E", "name": "", "pid": 0, "tid": 0, "ts": 1}]}')
    with pytest.raises(ValueError, match="not a trace of"):
        limpet.read_trace(tmp_path / "trace.json")
    monkeypatch.setitem(sys.modules, "numpy", None)
    for function in (limpet.hist, limpet.trace):
        with pytest.raises(ImportError, match="python3-numpy"):
            function()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(limpet.LimpetError, match="install Debian's package limpet") as refusal:
        limpet.ps()
    assert refusal.value.code == 127


def test_notebook(monkeypatch, capsys):
    """Each cell of the example runs, prints its figures and draws its pictures."""
    import matplotlib                           # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    from matplotlib import pyplot               # pylint: disable=import-outside-toplevel
    notebook = json.loads((TOP / "docs/examples/lateness.ipynb").read_text())
    names = {}
    with contextlib.closing(pyplot):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                exec("".join(cell["source"]), names)    # pylint: disable=exec-used
        assert len(pyplot.get_fignums()) == 2
        pyplot.close("all")
    said = capsys.readouterr().out
    assert "timer limpet: 200 values" in said and "timer expiries, from expiry to start: median" in said
    assert 0 < names["delays"].min() and len(names["delays"]) > 40
