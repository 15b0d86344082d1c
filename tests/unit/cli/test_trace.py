# SPDX-License-Identifier: GPL-2.0
"""Tests that other programs can read the output of `limpet trace`."""

import json
import os
import subprocess
from pathlib import Path

TOP = Path(__file__).parents[3]


def written(folder):
    """Runs the unit tests' program, which writes its traces."""
    subprocess.run([TOP / "build/cli/test/test_trace"], check=True, capture_output=True, timeout=60,
                   env=os.environ | {"LIMPET_TRACE": str(folder)})
    return folder


def test_babeltrace(tmp_path):
    folder = written(tmp_path / "ctf")
    (folder / "trace.json").unlink()
    done = subprocess.run(["babeltrace2", "--clock-seconds", folder], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 26
    # Debian 12's babeltrace2 has the two names in this order, Debian 13's in the other, in braces.
    before, _, after = lines[-2].partition(" : ")
    assert "return: { cpu_id = 0 }, { thread = ( " in before and after
    assert all(f'"\\? #5 CPU {number}"' in before for number in (0, 1))
    assert "[0.000001000]" in lines[0] and "start:" in lines[0] and "{ depth = 1 }" in lines[0]
    assert any('( "CALL_ENDPOINT_SEND" : container = 21 )' in line for line in lines)
    assert sum("( \"NONE\" : container = 65535 )" in line for line in lines) == 6


def test_json(tmp_path):
    events = json.loads((written(tmp_path / "json") / "trace.json").read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "B", "E", "i"}
