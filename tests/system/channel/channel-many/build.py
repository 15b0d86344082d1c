# SPDX-License-Identifier: GPL-2.0
"""Composes systems with as many channels as a CPU and a component can have."""

from pathlib import Path

from tests.harness.composed import SCHED_AND_LOG, compose

CPU_MAX = 254       # besides those of the console and of the supervisor
COMPONENT_MAX = 16
ACCESS = ("0600", "0640", "0666")

HEAD = """
[system]
name   = "{name}"
frames = "32M"
""" + SCHED_AND_LOG + """
[[component]]
name    = "supervisor"
image   = "supervisor"
imports = {{ sched = "sched", log = "log" }}
"""
PEER = """
[[component]]
name    = "peer{number}"
image   = "many-peer"
imports = {{ log = "log", sched = "sched" }}
faults  = "supervisor"
"""
NODE = """
[[channel]]
name   = "many{number}"
owner  = "peer{owner}"
size   = "4K"
access = "{access}"
"""
NETWORK = """
[[channel]]
name  = "many{number}"
owner = "peer0"
mode  = "network"
"""


def nodes() -> str:
    """Returns a system with the most channels of a CPU, all of them nodes."""
    return (HEAD.format(name="nodes")
            + "".join(PEER.format(number=number) for number in range(-(-CPU_MAX // COMPONENT_MAX)))
            + "".join(NODE.format(number=number, owner=number // COMPONENT_MAX, access=ACCESS[number % len(ACCESS)])
                      for number in range(CPU_MAX)))


def networks() -> str:
    """Returns a system with the most channels of a component, all of them network devices."""
    return (HEAD.format(name="networks") + PEER.format(number=0)
            + "".join(NETWORK.format(number=number) for number in range(COMPONENT_MAX)))


def build(folder: Path) -> None:
    """Writes the images into a folder."""
    for name, text in (("nodes", nodes()), ("networks", networks())):
        compose(text, folder, name, Path(__file__).parent)
