# SPDX-License-Identifier: GPL-2.0
"""Composes systems with chains of components that exceed a thread's maximum depth, and a loop that preempts them."""

from pathlib import Path

from tests.harness.composed import SCHED_AND_LOG, compose

#: The name of each system, the depth of its threads (None: the default), its links, and the number of rounds.
SYSTEMS = (("depth", None, 30, 300), ("depth-long", None, 30, 2500), ("depth-most", 256, 258, 10))

HEAD = """
[system]
name   = "{name}"
frames = "32M"
{depth}
""" + SCHED_AND_LOG + """
[[component]]
name    = "control"
image   = "control"
imports = {{ log = "log", sched = "sched" }}
args    = {{ period-us = 1000, report-every = 0 }}

[[component]]
name  = "bottom"
image = "pong"
"""
LINK = """
[[component]]
name    = "link-{number}"
image   = "depth-link"
imports = {{ next = "{next}" }}
"""
TOP_OF_CHAIN = """
[[component]]
name    = "top"
image   = "depth-top"
imports = {{ first = "link-1", log = "log" }}
args    = {{ rounds = {rounds}, links = {links}{depth} }}
"""


def system(name: str, depth: int | None, links: int, rounds: int) -> str:
    """Returns the text of a system file."""
    chain = (LINK.format(number=number, next=f"link-{number + 1}" if number < links else "bottom")
             for number in range(links, 0, -1))
    return (HEAD.format(name=name, depth=f"depth  = {depth}" if depth else "") + "".join(chain)
            + TOP_OF_CHAIN.format(rounds=rounds, links=links, depth=f", depth = {depth}" if depth else ""))


def build(folder: Path) -> None:
    """Writes the images into a folder."""
    for name, *rest in SYSTEMS:
        compose(system(name, *rest), folder, name, Path(__file__).parent)
