# SPDX-License-Identifier: BSD-2-Clause
"""Systems that are one above a limit of <limpet/limits.h>, too large to be files of the corpus."""

import pytest
import support

HEAD = """[system]
name = "many"
frames = "16M"

[[component]]
name = "sched"
image = "sched.mini"
"""
TEAM = """
[[component]]
name = "t{n}"
image = "team"
imports = {{ sched = "sched" }}
threads = {threads}
"""
CLIENT = """
[[component]]
name = "t{n}"
image = "client"
priority = 7
imports = {{ echo = "front", other = "front" }}
"""
FRONT = """
[[component]]
name = "front"
image = "server"
imports = { clock = "sched" }
"""
BRIDGE = """
[[bridge]]
channel = "c{n}"
topic = "t{n}"
type = "T"
fields = ["double data"]
"""
CHANNEL = """
[[channel]]
name = "c{n}"
owner = "t{owner}"
"""


def teams(count, threads):
    return "".join(TEAM.format(n=n, threads=threads) for n in range(count))


def channels(count):
    """Channels of components that have 16 each, which is as many as one component can have."""
    owners = "".join(CLIENT.format(n=n) for n in range(count // 16 + 1))
    return FRONT + owners + "".join(CHANNEL.format(n=n, owner=n // 16) for n in range(count))


def bridges(count):
    return channels(count) + "".join(BRIDGE.format(n=n) for n in range(count))


@pytest.mark.parametrize("text, expect", [
    (teams(1023, 0), "[component]: There are 1025 components with the booter. An image has at most 1024"),
    (teams(16, 62) + TEAM.format(n=16, threads=31), "[component.t16/threads]: CPU 0 has 1024 threads or more. "
     "The maximum is 1024, including the booter's."),
    (channels(255), "is on CPU 0 with 255 channels. A CPU has at most 254"),
    (bridges(65), "belongs to [[bridge]] 65. A system has at most 64"),
], ids=["components", "threads", "channels", "bridges"])
def test_is_refused(built, tmp_path, text, expect):
    path = tmp_path / "many.toml"
    path.write_text(HEAD + text)
    assert expect in support.only_line(support.compose(path, "-o", tmp_path / "out"))
    assert not (tmp_path / "out").exists()
