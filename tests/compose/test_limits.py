# SPDX-License-Identifier: BSD-2-Clause
"""Systems that are one above a limit of <limpet/limits.h>, too large to be files of the corpus."""

import types

import pytest
import support

from tools.compose.image import records
from tools.compose.mqtt import Topic, resolve

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


RELAY = """
[[component]]
name = "r{n}"
image = "relay"
"""


def test_longest_chain_of_imports(built, tmp_path):
    """Each component but the last imports from the one that follows it. That they are not built is the only complaint."""
    path, count = tmp_path / "chain.toml", 1022
    path.write_text(HEAD + "".join(RELAY.format(n=n) + f'imports = {{ next = "r{n + 1}" }}\n' * (n + 1 < count)
                                   for n in range(count)))
    assert "There is no relay.o in" in support.only_line(
        support.compose(path, "--components", support.TREE / "unbuilt", "-o", tmp_path / "out"))


MQTT = FRONT + """
[[component]]
name = "mqtt"
image = "mqtt"
imports = { clock = "sched" }
args = { %s }

[[component]]
name = "user"
image = "topic-user"
imports = { topic = "mqtt" }
"""
TOPIC = """
[[mqtt]]
owner = "user"
name = "{name}"
topic = "{topic}"
"""


def mqtt(tmp_path, args, topics):
    """Composes a system with `args` arguments and these topics of component mqtt. Returns the line of the refusal, which is
    about the missing objects of the components if the topics are accepted."""
    path = tmp_path / "mqtt.toml"
    path.write_text(HEAD + MQTT % ", ".join(f"arg{n} = {n}" for n in range(args)) +
                    "".join(TOPIC.format(name=f"t{n}", topic=topic) for n, topic in enumerate(topics)))
    return support.only_line(support.compose(path, "--components", support.TREE / "unbuilt", "--interfaces",
                                             support.ROOT / "interfaces", "-o", tmp_path / "out"))


def test_topics_count_as_arguments(built, tmp_path):
    """Each 39 bytes of the topics are an argument, which the kernel's checker counts, too."""
    assert "There is no mqtt.o in" in mqtt(tmp_path, 10, [f"t/{n}" for n in range(16)])
    line = mqtt(tmp_path, 10, [f"plant/line-3/station-{n}/temperature/value" for n in range(16)])
    assert line.startswith(f"limpet-compose: {tmp_path}/mqtt.toml:18:[component.mqtt/args]: There are ")
    assert "arguments, each 39 bytes of the topics of [[mqtt]] count as one. A component has at most 24." in line


def test_long_topic_is_passed_in_pieces():
    definition = types.SimpleNamespace(name="mqtt", libc="")
    server, owner = types.SimpleNamespace(definition=definition, args={"port": 1}), types.SimpleNamespace(index=7)
    topics = [Topic(server, owner, "value", way, "plant/line-3/station-12/temperature/value", 1, False)
              for way in ("publish", "subscribe")]
    resolve(types.SimpleNamespace(topics=topics))
    port, *pieces = records(server)
    assert port == ("port", 1)
    assert [name for name, _ in pieces] == ["topics", "topics.1", "topics.2"] and max(len(text) for _, text in pieces) == 39
    assert b"".join(text for _, text in pieces).decode().splitlines() == [
        f"7 {way} 1 0 value plant/line-3/station-12/temperature/value" for way in (1, 0)]


def test_number_of_a_thread_can_be_too_long(built, tmp_path):
    """The composer replaces @NAME in an argument by a number."""
    path = tmp_path / "thread.toml"
    path.write_text(HEAD + TEAM.format(n=0, threads=62) + TEAM.format(n=1, threads=62) + FRONT + """
[[component]]
name = "c"
image = "client"
imports = { echo = "front", other = "front" }
priority = 7
args = { rounds = "@c 345678901234567890123456789012345678" }
""")
    line = support.only_line(support.compose(path, "-o", tmp_path / "out"))
    assert "[component.c/args/rounds]: 'rounds' has 40 bytes. A text has 1 to 39." in line
