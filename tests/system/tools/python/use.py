# SPDX-License-Identifier: GPL-2.0
"""Uses Limpet's package in a guest that has no NumPy, and prints a line for each check."""

import json
import sys
import tempfile
import time
from pathlib import Path

import limpet


def check(name, right, seen):
    """Prints the result of a check, and the seen value if it fails."""
    print(f"pass {name}" if right else f"fail {name}: {seen}", flush=True)


def refused(name, words, kind, function, *arguments, **options):
    """Checks that a function raises this kind of exception with these words."""
    try:
        result = function(*arguments, **options)
    except kind as error:
        check(name, words in str(error), error)
    else:
        check(name, False, f"it was not refused: {result}")


def until(function):
    """Returns the function's result when it is true, or its last one after a minute."""
    end = time.monotonic() + 60
    while not (result := function()) and time.monotonic() < end:
        time.sleep(0.1)
    return result


def started(name):
    """Returns a caller, or None if the channel cannot be opened."""
    try:
        return limpet.Caller(name, "pong.toml", timeout=20)
    except OSError:
        return None


def detached():
    refused("ps without Limpet", "not attached", limpet.LimpetError, limpet.ps)
    refused("an option that does not exist", "--linux-share", limpet.LimpetError, limpet.run, "a.limpet", linux_share=5000)


def attached(image):
    refused("stat without a system", "No system runs", limpet.LimpetError, limpet.stat)
    limpet.stop()
    check("the name of a system", limpet.run(image, linux_share=200) == "python", limpet.command("ps"))
    [system] = limpet.ps()
    check("its components", [c.name for c in system.components] == ["booter", "sched", "log", "control", "pong", "calls"],
          system)
    check("Linux's share", limpet.stat("python").linux_share == 200, limpet.stat())
    pong = until(lambda: started("pong"))
    check("a call", pong.call("call4", 7, 1, 2, -1) == (7, 1, 2, 2**64 - 1), "other words")
    refused("a function that the system file does not name", "Add it to functions", limpet.CallError, pong.call, "call6",
            *range(6))
    pong.close()
    lines = until(lambda: [line for line in limpet.log(component="control") if "histogram" in line.text])
    check("a line of the log", json.loads(lines[0].text)["histogram"]["subject"] == "limpet", lines[:1])
    first = next(limpet.follow(lines=1))
    check("the followed log", first.system == "python", first)
    activity = limpet.top(0.5)
    check("the loop's thread", [t.home for t in activity.threads if t.home == "control"] == ["control"], activity)
    counters = limpet.stat().cpus[0]
    check("timers expire", counters.timers > 0 and counters.frames >= counters.frames_free > 0, counters)
    with tempfile.TemporaryDirectory() as folder:
        limpet.command("trace", "--format", "json", "--output", folder)
        check("a trace", "traceEvents" in json.loads((Path(folder) / "trace.json").read_text()), folder)
    refused("an array without NumPy", "python3-numpy", ImportError, limpet.hist)
    refused("a system that does not run", "other", limpet.LimpetError, limpet.stop, "other")
    limpet.stop("python", timeout=20)


{"detached": detached, "attached": attached}[sys.argv[1]](*sys.argv[2:])
