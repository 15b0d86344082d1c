# SPDX-License-Identifier: GPL-2.0
"""Tests the live page of `limpet exporter --ui` in a browser, with a made-up system whose counters grow, and without one."""

import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

from tests.harness.browser import Browser

TOP = Path(__file__).parents[3]
LIMPET = TOP / "build/cli/limpet"
MAKE = TOP / "build/cli/test/report_page"


@contextlib.contextmanager
def served(*words, said, stream):
    """Runs a server, and yields the address that it prints."""
    found = None
    with subprocess.Popen(words, text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, **{stream: subprocess.PIPE}) as server:
        try:
            found = re.search(said, getattr(server, stream).readline())
            assert found
            yield f"http://127.0.0.1:{found[1]}/"
        finally:
            server.kill()
            if found and found.lastindex > 1:
                shutil.rmtree(found[2])


def made_up():
    return served(MAKE, "live", "127.0.0.1:0", said=r"(\d+) (/tmp/limpet-root-\w+)", stream="stdout")


def event(address):
    with urllib.request.urlopen(f"{address}events", timeout=30) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
        retry, data, *rest = answer.read().decode().split("\n")
    assert retry == "retry: 1000" and rest == ["", ""] and data.startswith("data: ")
    return json.loads(data[6:])


def test_event():
    with made_up() as address:
        first, second = event(address), event(address)
    assert first["attached"] is True and [system["name"] for system in first["systems"]] == ["robot"]
    before, after = (one["systems"][0] for one in (first, second))
    assert after["uptime"] - before["uptime"] == 1
    jobs = [thread["jobs"] for thread in after["threads"] if "jobs" in thread]
    assert len(jobs) == 1 and jobs[0]["period"] == 1000
    buckets = jobs[0]["late"]["buckets"]
    assert sum(count for _, _, count in buckets) == jobs[0]["count"]
    assert buckets[0][2] and buckets[-1][2] and not all(count for _, _, count in buckets)
    assert all(bucket[1] == after[0] for bucket, after in itertools.pairwise(buckets))
    assert jobs[0]["late"]["max"] <= jobs[0]["late"]["buckets"][-1][1] <= jobs[0]["response"]["max"] < 1000
    assert [one["name"] for one in after["channels"]] == ["plan", "limpet0"]
    plan, network = after["channels"]
    assert "load" not in plan and (plan["component"], plan["to_linux"], plan["to_component"]) == ("planner", 4096, 8192)
    grown = {key: value - before["channels"][1]["load"][key] for key, value in network["load"].items()}
    assert grown == {"to_linux_bytes": 250000, "to_linux_packets": 500, "to_component_bytes": 64000,
                     "to_component_packets": 1000, "dropped": 3}
    assert [round(b["run"] - a["run"]) >= 20000 * (i + 1) for i, (a, b) in
            enumerate(zip(before["threads"], after["threads"], strict=True))] == [True] * 6


def test_wiring():
    """The picture is a file of its own, with its colours."""
    with made_up() as address, urllib.request.urlopen(f"{address}wiring", timeout=30) as answer:
        assert answer.headers["Content-Type"] == "application/json"
        [system] = json.loads(answer.read())["systems"]
    assert (system["id"], system["name"]) == (0, "robot")
    picture = ElementTree.fromstring(system["picture"])
    texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"control", "planner", "sched1", "CPU 1 (Linux CPU 3)"} <= texts
    assert "prefers-color-scheme:dark" in system["picture"]


def test_page():
    """The page shows all pictures and numbers and loads no other files, in both colour schemes and a narrow window."""
    colours = set()
    with made_up() as address, Browser() as browser:
        for dark, width in ((False, 1200), (True, 1200), (False, 420)):
            browser.look(address, dark, width)
            browser.wait("document.querySelectorAll('svg').length === 8 && document.querySelector('img.wiring')?.complete && "
                         "document.querySelectorAll('path.line').length >= 8")
            seen = browser.pictures()
            assert [one[0] for one in seen][0] == "CPU time of the busiest threads in percent"
            assert [one[0] for one in seen][-1] == "Longest times of all jobs, and the deadline"
            assert browser.value("document.querySelector('img.wiring').naturalWidth") > 400
            for title, left, _top, right, _bottom, shapes in seen:
                assert left >= 0 and right <= width and shapes >= 5, f"{title}: {left} to {right} of {width}, {shapes} shapes"
            shown = browser.value("document.querySelector('main').innerText")
            assert "robot: beside Linux" in shown and "control, thread 2: jobs with a period of 1.00 ms" in shown
            assert re.search(r"Start after the release, mean: \d\.\d µs; longest: below \d+\.\d µs", shown)
            assert re.search(r"limpet0\s+net\s+4,096 / 8,192\s+250,000\s+500\s+64,000\s+1,000\s+\d+", shown)
            assert re.search(r"plan\s+planner\s+4,096 / 8,192\s+–\s+–\s+–\s+–\s+–", shown)
            assert "NaN" not in shown and "undefined" not in shown and "Infinity" not in shown
            assert browser.value("document.documentElement.scrollWidth") <= width
            assert not browser.console, browser.console
            assert {url for url in browser.requests if not url.startswith("data:")} <= {address, f"{address}events", f"{address}wiring"}
            assert browser.requests.count(f"{address}wiring") == 1
            colours.add(browser.value("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_without_a_system():
    with served(LIMPET, "exporter", "--ui", "--listen", "127.0.0.1:0",
                said=r"The exporter listens at 127\.0\.0\.1:(\d+)\.", stream="stderr") as address:
        assert event(address) == {"attached": False, "systems": []}
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert answer.read() == (TOP / "cli/command/exporter/live.html").read_bytes()
        with urllib.request.urlopen(f"{address}metrics", timeout=30) as answer:
            assert b"limpet_attached 0" in answer.read()
        with Browser() as browser:
            browser.look(address)
            browser.wait("document.getElementById('state').textContent === 'Limpet is not attached.'")
