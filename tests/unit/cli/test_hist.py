# SPDX-License-Identifier: GPL-2.0
"""`limpet hist` draws a made-up log. Its picture is valid XML, and each error is one line."""

import json
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

LIMPET = Path(__file__).parents[3] / "build/cli/limpet"


def hist(*words, stdin=""):
    return subprocess.run([LIMPET, "hist", *words], input=stdin, capture_output=True, text=True, timeout=20)


def line(subject, buckets):
    return "control: " + json.dumps({"histogram": {"suite": "table1", "case": "timer", "subject": subject,
                                                   "unit": "ticks", "buckets": buckets}}) + "\n"


def test_picture(tmp_path):
    log = tmp_path / "log"
    log.write_text("control: begins\n" + line("idle", [[704, 350], [768, 7182], [832, 48]]) +
                   line("loaded", [[704, 3], [40960, 1]]) + line("idle", [[704, 1]]))
    done = hist("--svg", tmp_path / "a.svg", "--ascii", log)
    assert done.returncode == 0 and not done.stderr
    assert "timer idle: 7581 values in 2 reports" in done.stdout and "####" in done.stdout
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag.endswith("svg") and len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) == 1 + 2 + 2
    drawn = hist("--ascii", "-", stdin=log.read_text()).stdout
    assert done.stdout == f"{drawn}\nThe picture is in {tmp_path / 'a.svg'}\n"


def test_another_machine(tmp_path):
    """Each line of a log has the rate of its machine's clock. Values of older lines, without a rate, stay in ticks."""
    old = line("idle", [[3000, 10]])
    (tmp_path / "old").write_text(old)
    (tmp_path / "new").write_text(old.replace('"buckets"', '"ticks_per_ms": 2000000, "buckets"'))
    assert "maximum from 3000 ticks" in hist("--ascii", tmp_path / "old").stdout
    assert "maximum from 1500 ns" in hist("--ascii", tmp_path / "new").stdout
    assert "maximum from 3000 ticks" in hist("--ascii", "--ticks", tmp_path / "new").stdout
    mixed = hist("-", stdin=old + (tmp_path / "new").read_text())
    assert mixed.returncode == 1 and "line 2" in mixed.stderr and "another machine" in mixed.stderr


def test_refused(tmp_path):
    (tmp_path / "buckets").write_text('{"case": "c", "ticks_per_ms": 5, "buckets": [[1,2]]}\n')
    (tmp_path / "cases").write_text("".join(f'{{"case": "{n}", "buckets": [[1, 2]]}}\n' for n in range(17)))
    (tmp_path / "rates").write_text("".join(f'{{"case": "c", "ticks_per_ms": {n}, "buckets": [[1, 2]]}}\n' for n in (5, 6)))
    for name, number, words in (("buckets", 1, "The histogram has invalid buckets."), ("rates", 2, "comes from another machine"),
                                ("cases", 17, "The log has more than 16 cases of histograms.")):
        done = hist(tmp_path / name)
        assert done.returncode == 1 and f"{name}: line {number}: " in done.stderr and words in done.stderr
    for done, words in ((hist("-"), "The log has no histogram"), (hist(tmp_path / "none"), "No such file"),
                        (hist("-", stdin='{"buckets": [[1, x]]}\n'), "line 1"),
                        (hist("--svg", tmp_path / "no/a.svg", "-", stdin=line("a", [[1, 2]])), "No such file"),
                        (hist("--svg", "/dev/full", "-", stdin=line("a", [[1, 2]])), "could not be written completely")):
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and words in done.stderr


@pytest.mark.parametrize("name, reason", [("none/a.svg", "No such file or directory"), (".", "Is a directory")])
def test_wrong_path_fails_before_the_log_is_read(tmp_path, name, reason):
    """The log is a pipe that does not end."""
    done = subprocess.Popen([LIMPET, "hist", "--svg", tmp_path / name, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    try:
        assert done.wait(20) == 1
        assert done.stderr.read() == f"limpet hist: {tmp_path / name}: The file cannot be written: {reason}.\n"
    finally:
        done.kill()
        done.communicate()


def test_failure_keeps_an_earlier_picture(tmp_path):
    picture, new = tmp_path / "a.svg", tmp_path / "new.svg"
    picture.write_text("an earlier picture" * 1000)
    for path in (picture, new):
        assert hist("--svg", path, "-").returncode == 1
    assert picture.read_text() == "an earlier picture" * 1000 and not new.exists()
    assert hist("--svg", picture, "-", stdin=line("a", [[1, 2]])).returncode == 0
    assert picture.read_text().startswith("<svg") and picture.read_text().endswith("</svg>\n")


def test_json():
    """Adds up all buckets of each histogram. The quantiles are those of the drawing."""
    log = line("idle", [[704, 3], [768, 96]]) + line("loaded", [[40960, 1]]) + line("idle", [[704, 1]]) + line("none", [])
    done = hist("--json", "-", stdin=log)
    idle, loaded, none = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and not done.stderr
    assert idle == {"label": "timer idle", "unit": "ticks", "reports": 2, "values": 100, "median": 768, "percentile_99": 768,
                    "maximum": 768, "buckets": [[704, 4], [768, 96]]}
    assert loaded["buckets"] == [[40960, 1]] and "timer idle: 100 values in 2 reports; median from 768" in \
        hist("--ascii", "-", stdin=log).stdout
    assert none["buckets"] == [] and none["values"] == 0 and "median" not in none
