# SPDX-License-Identifier: GPL-2.0
"""Checks two server-sent events of a running system. Arguments: MODE FIRST SECOND. Prints a line for each check."""

import json
import sys

SYSTEM = {"name", "id", "mode", "uptime", "cpus", "threads", "components", "channels"}
CPU = {"cpu", "linux_cpu", "invocations", "events", "timers", "frames_free", "frames"}
THREAD = {"cpu", "id", "home", "state", "priority", "run", "dispatches", "misses"}
JOBS = {"period", "count", "missed", "late", "run", "response"}
COMPONENT = {"cpu", "name", "invocations", "faults", "restarts", "stopped"}


def check(name, right, seen):
    """Prints the result of a check, and the seen value if it fails."""
    print(f"pass {name}" if right else f"fail {name}: {seen}")


def event(path):
    """Returns the system of a server-sent event."""
    with open(path) as file:
        retry, data, *rest = file.read().split("\n")
    check("an event is complete", retry == "retry: 1000" and data.startswith("data: ") and rest == ["", ""], (retry, data[:80]))
    answer = json.loads(data[6:])
    check("one system runs", answer["attached"] is True and len(answer["systems"]) == 1, answer)
    return answer["systems"][0]


def control(system):
    """Returns the only thread that has jobs."""
    return next(thread for thread in system["threads"] if "jobs" in thread)


def main(mode, first, second):
    """Compares the growth of values between the events with the time between them."""
    before, after = event(first), event(second)
    check("each value is present", set(after) == SYSTEM and all(
        [set(cpu) == CPU for cpu in after["cpus"]] + [set(one) == COMPONENT for one in after["components"]] +
        [set(thread) - {"jobs"} == THREAD for thread in after["threads"]]) and set(control(after)["jobs"]) == JOBS, after)
    check("system", (after["name"], after["mode"]) == ("exporter", mode), after)
    check("components", [one["name"] for one in after["components"] if one["name"] in ("sched", "log", "control")] ==
          ["sched", "log", "control"] and not any(one["faults"] or one["restarts"] or one["stopped"] for one in after["components"]),
          after["components"])
    seconds = after["uptime"] - before["uptime"]
    check("uptime in seconds", 0.9 < seconds < 10, seconds)
    cpu = after["cpus"][0]
    check("the CPU's counters grow", all(cpu[key] > before["cpus"][0][key] for key in ("invocations", "events", "timers")), cpu)
    check("free memory", 0 < cpu["frames_free"] < cpu["frames"], cpu)
    thread, jobs, old = control(after), control(after)["jobs"], control(before)["jobs"]
    check("the period in µs", abs(jobs["period"] - 1000) < 1, jobs["period"])
    # The loop pauses while it prints a report, five times a second.
    check("jobs of 1 ms", 850 * seconds <= jobs["count"] - old["count"] <= 1010 * seconds, (jobs["count"], old["count"], seconds))
    check("no job is missed", jobs["missed"] == old["missed"] and thread["misses"] == control(before)["misses"], thread)
    for key in ("late", "run", "response"):
        counts = sum(bucket[2] for bucket in jobs[key]["buckets"])
        check(f"{key}: each job is in a bucket", counts == jobs["count"], (counts, jobs["count"]))
        mean = jobs[key]["sum"] / jobs["count"]
        check(f"{key}: the longest time is at least the mean", mean <= jobs[key]["max"], jobs[key])
        check(f"{key}: the mean in µs is between the first and the last bucket",
              jobs[key]["buckets"][0][0] <= mean and 0 < mean < 1000, (mean, jobs[key]["buckets"]))
    run = thread["run"] - control(before)["run"]
    check("run time in µs", 0 < run < seconds * 1e6, (run, seconds))
    check("dispatches", thread["dispatches"] > control(before)["dispatches"], thread)


main(*sys.argv[1:])
