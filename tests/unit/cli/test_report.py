# SPDX-License-Identifier: GPL-2.0
"""Tests pages and pictures of `limpet report` for the systems of report_page, and errors of the command."""

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.harness.browser import Browser, page_check

TOP = Path(__file__).parents[3]
LIMPET = TOP / "build/cli/limpet"
MAKE = TOP / "build/cli/test/report_page"
HTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
STRANGE = "<b>\"a&b\"'\xff?"    # the name of a component in the case `failed`


def make(case, path, **environment):
    """Runs report_page."""
    return subprocess.run([MAKE, case, path], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})


def made(case, path, **environment):
    """Writes the report of a case to a path. Returns stderr."""
    done = make(case, path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stderr


def words(element):
    return " ".join("".join(element.itertext()).split())


def rows(root, section):
    """Returns the rows of all tables of a section as lists of words."""
    part = next(one for one in root.iter(f"{HTML}section") if one.get("id") == section)
    return [[words(cell) for cell in row] for row in part.iter(f"{HTML}tr")]


@pytest.fixture(name="page", scope="module")
def fixture_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    made("failed", path)
    return path


def test_page(page):
    root = ElementTree.parse(page).getroot()
    assert root.tag == f"{HTML}html" and words(root.find(f"{HTML}head/{HTML}title")) == "robot: report"
    tags = {one.tag.removeprefix(HTML).removeprefix(SVG) for one in root.iter()}
    assert not tags & {"script", "iframe", "img", "object", "image", "use"}
    links = [value for one in root.iter() for key, value in one.items() if key.endswith(("href", "src"))]
    assert all(link.startswith(("#", "data:")) for link in links)
    ids = [one.get("id") for one in root.iter() if one.get("id")]
    assert len(ids) == len(set(ids)) and {link[1:] for link in links if link[0] == "#"} <= set(ids)
    assert "url(" not in page.read_text() and "@import" not in page.read_text()
    # A job of control that another thread delays takes up to 28 + 110 + 950 µs; its period is 1000 µs.
    heads, control, loop = rows(root, "verdict")
    assert all(head.endswith(" µs") for head in heads if head.split()[0] in ("Period", "Late", "Run", "Response", "Margin"))
    assert control[:6] == ["control #2", "no", "0", "1000.0", "2000", "5"] and 1000 < float(control[8]) < 1088
    assert abs(float(control[8]) + float(control[9]) - 1000) < 0.11
    assert loop[:6] == ["loop1 #6", "yes", "1", "1000.0", "2000", "0"]
    text = words(root)
    assert "not real-time" in text and "Cause: Thread 3 of component planner ran for 950.0 µs of that job." in text
    assert "Remedy: Give that thread" in text and "77 events were overwritten" in text
    components = {row[0]: row for row in rows(root, "load")}
    assert components[STRANGE][2:8] == ["0", "20.00", "12000", "3", "3", "read of unmapped address 0x0 at 0x0"]
    assert components["planner"][3] == "15.00" and components["plan"][1:4] == ["planner", "4096", "8192"]
    assert components["plan"][4:9] == ["–"] * 5
    assert components["limpet0"][1:9] == [STRANGE, "4096", "8192", "250000", "500", "64000", "1000", "6"]
    machine = dict(row for row in rows(root, "machine") if row[0] != "Host thread")
    assert machine["Processor"] == "Example CPU <1> @ 1.00GHz" and machine["Processors"] == "100"
    assert machine["Machine"] == "Example & Sons Board 7" and machine["Kernel"] == "6.1.0-13-amd64"
    assert machine["Hypervisor"].startswith("yes") and machine["Mode"] == "beside"
    assert machine["Time stamp counter"] == "1000.000 MHz"


def test_pictures(page):
    root = ElementTree.parse(page).getroot()
    pictures = {one.get("aria-label"): one for one in root.iter(f"{SVG}svg")}
    assert len(pictures) == 7
    wiring = pictures["robot: the wiring of its components"]
    texts = [words(one) for one in wiring.iter(f"{SVG}text")]
    assert {"control", "planner", "sched", STRANGE, "limpet0", "CPU 1 (Linux CPU 3)"} <= set(texts) and "booter" not in texts
    # There are 13 imports and 2 channels. The third channel leads to a channel of another system, so it has no box.
    assert len([one for one in wiring.iter(f"{SVG}path") if one.get("class") == "tip"]) == 15
    boxes = [[float(one.get(key)) for key in ("x", "y", "width", "height")]
             for one in wiring.iter(f"{SVG}rect") if one.get("class").startswith("box")]
    assert len(boxes) == 10
    for i, one in enumerate(boxes):
        assert one[0] >= 0 and one[0] + one[2] <= float(wiring.get("width"))
        for other in boxes[:i]:
            assert (one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0]
                    or one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]), "boxes overlap"
    worst = pictures["control #2: the use of the CPU around the worst job"]
    kinds = [one.get("class") for one in worst.iter(f"{SVG}rect")]
    assert kinds.count("bar") >= 3 and kinds.count("other") >= 1 and kinds.count("linux") == 1 and kinds.count("bad") == 1
    assert {"release", "deadline", "end", "planner #3", "µs after the release"} <= {
        words(one) for one in worst.iter(f"{SVG}text")}
    # After the job the system is idle up to the end of the picture.
    assert max(float(one.get("x")) + float(one.get("width")) for one in worst.iter(f"{SVG}rect")
               if one.get("class") == "idle") == pytest.approx(880, abs=0.2)
    series = pictures["control #2: lateness, run time and response time in the course of the check"]
    assert len([one for one in series.iter(f"{SVG}rect") if one.get("class") == "bad"]) == 5
    histograms = pictures["loop1 #6: histograms of lateness, run time and response time"]
    heads = [words(one) for one in histograms.iter(f"{SVG}text") if one.get("class") == "head"]
    assert [head.split(":")[0] for head in heads] == ["Lateness", "Run time", "Response time"]
    assert all(head.count(" µs") == 3 for head in heads)


def test_folder(tmp_path):
    (tmp_path / "whole").mkdir()
    assert not made("failed", tmp_path / "whole")
    names = {f"{kind}-{thread}" for kind in ("histograms", "series", "worst") for thread in ("0-2", "1-6")} | {"wiring"}
    assert {one.name for one in (tmp_path / "whole").iterdir()} == {
        "index.html", "check.json", *(f"{name}.{end}" for name in names for end in ("svg", "png"))}
    assert json.loads((tmp_path / "whole/check.json").read_text())["threads"][0]["missed"] == 5
    for name in names:
        picture = (tmp_path / f"whole/{name}.svg")
        root = ElementTree.parse(picture).getroot()
        assert root.tag == f"{SVG}svg" and root.find(f"{SVG}style") is not None
        png = (tmp_path / f"whole/{name}.png").read_bytes()
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", png[16:24]) == (int(root.get("width")), int(root.get("height")))


@pytest.fixture(name="programs")
def fixture_programs(tmp_path):
    """Makes a folder for PATH without a converter."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "rm").symlink_to(shutil.which("rm"))    # for report_page
    (tmp_path / "plain").mkdir()
    return folder


def test_without_converter(tmp_path, programs):
    said = made("healthy", tmp_path / "plain", PATH=str(programs))
    assert "Install librsvg2-bin" in said and len(said.splitlines()) == 1
    assert (tmp_path / "plain/wiring.svg").exists() and not list((tmp_path / "plain").glob("*.png"))


def test_converter_fails(tmp_path, programs):
    (programs / "rsvg-convert").symlink_to(shutil.which("false"))
    done = make("healthy", tmp_path / "plain", PATH=str(programs))
    assert done.returncode == 1 and "wiring.png: rsvg-convert failed" in done.stderr and len(done.stderr.splitlines()) == 1


def test_full_disk(tmp_path):
    (tmp_path / "page.html").symlink_to("/dev/full")
    done = make("healthy", tmp_path / "page.html")
    assert done.returncode == 1 and "could not be written completely: No space left" in done.stderr


def test_nothing_periodic(tmp_path):
    made("none", tmp_path / "none.html")
    root = ElementTree.parse(tmp_path / "none.html").getroot()
    assert "no verdict: no thread is periodic" in words(root)
    assert "The image of the system cannot be read." in words(root)
    page_check(tmp_path / "none.html", pictures=1)


def test_browser(page):
    page_check(page, pictures=7)


def test_browser_sees_mistakes(tmp_path):
    """The browser finds a script's error, a missing file, and a picture without content."""
    bad = tmp_path / "bad.html"
    bad.write_text('<!DOCTYPE html><svg aria-label="empty" width="300" height="30"></svg><img src="none.png">'
                   "<script>console.log(1); nothing()</script>")
    with Browser() as browser:
        browser.look(bad)
        assert any("nothing is not defined" in line for line in browser.console)
        assert any("log" in line for line in browser.console)
        assert any(url.endswith("none.png") for url in browser.requests)
        assert browser.pictures()[0][-1] == 0
    with pytest.raises(AssertionError):
        page_check(bad, pictures=1)


def report(*arguments):
    return subprocess.run([LIMPET, "report", *arguments], capture_output=True, text=True, timeout=20, check=False)


@pytest.mark.parametrize("arguments, said", [
    (["--for", "soon"], "--for soon: must be a time such as 60s, 5m or 500ms"),
    (["--for", "0"], "--for 0: must be"),
    (["--late", "0"], "--late 0: must be"),
    (["one", "two"], "two"),
    (["-o"], "Option '-o' needs a value"),
    (["--format", "pdf"], "format"),
])
def test_usage(arguments, said):
    done = report(*arguments)
    assert done.returncode == 2 and said in done.stderr and "Try `limpet report --help`." in done.stderr


def test_not_attached(tmp_path):
    done = report("-o", tmp_path / "a.html")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and done.stderr.startswith("limpet report: ")
    assert not (tmp_path / "a.html").exists()


def test_help():
    done = report("--help")
    assert done.returncode == 0 and "rsvg-convert" in done.stdout and shutil.which("rsvg-convert")
