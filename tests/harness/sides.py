# SPDX-License-Identifier: GPL-2.0
"""Composes systems with a part on each of many processors. Processors exchange events in pairs, the first with the last."""

from pathlib import Path

from .composed import compose

#: The period of each loop, in microseconds for each processor, because the emulator executes one at a time.
PERIOD_US = 1250

HEAD = """\
[system]
name   = "sides-{cpus}"
frames = "1M"
cpus   = {cpus}
"""
SIDE = """
[[component]]
name  = "sched-{cpu}"
image = "sched.fixed-priority"
cpu   = {cpu}

[[component]]
name  = "log-{cpu}"
image = "log"
cpu   = {cpu}

[[component]]
name    = "loop-{cpu}"
image   = "control"
cpu     = {cpu}
imports = {{ log = "log-{cpu}", sched = "sched-{cpu}" }}
args    = {{ period-us = {period}, report-every = 50 }}

[[component]]
name    = "bounce-{cpu}"
image   = "bounce"
cpu     = {cpu}
imports = {{ log = "log-{cpu}", sched = "sched-{cpu}" }}
args    = {{ first = {first}, export-port = {cpu}, import-port = {other}, import-cpu = {other}, rounds = {rounds} }}
"""


def sides(folder: Path, cpus: int, rounds: int) -> None:
    """Writes sides-CPUS.limpet into a folder. Each pair of processors exchanges `rounds` events."""
    parts = "".join(SIDE.format(cpu=cpu, other=cpus - 1 - cpu, first=int(cpu < cpus // 2), period=PERIOD_US * cpus,
                                rounds=rounds) for cpu in range(cpus))
    compose(HEAD.format(cpus=cpus) + parts, folder, f"sides-{cpus}")
