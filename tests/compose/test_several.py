# SPDX-License-Identifier: BSD-2-Clause
"""One run reports all mistakes of a system file, each with its line."""

import re

import support

HEAD = '[system]\nname = "several"\nframes = "1M"\n'


def mistakes(tmp_path, text):
    """Composes a file; returns {line: [(where, message)]}."""
    path, out = tmp_path / "several.toml", tmp_path / "out"
    path.write_text(text)
    result = support.compose(path, "-o", out)
    assert result.returncode == 1 and not out.exists()
    found = {}
    for line in result.stderr.splitlines():
        match = re.fullmatch(rf"limpet-compose: {re.escape(str(path))}:(\d+):\[(.+?)\]: (.+)", line)
        assert match, line
        found.setdefault(int(match[1]), []).append((match[2], match[3]))
    return found


def test_mistakes_of_all_tables(tmp_path):
    found = mistakes(tmp_path, """# A comment = 1
[system]
name = "several"
frames = "lots"
frmes = 3

[[component]]
name = "sched"
image = "shed"
priority = 20

[[component]]
name = "client"
image = "client"
prio = 3
quota = 5
imports = { echo = "nix" }

[component.args]
rounds = true
roundz = 4
""")
    where = {line: [place for place, _ in entries] for line, entries in found.items()}
    assert where == {4: ["system/frames"], 5: ["system/frmes"], 9: ["component.sched/image"],
                     12: ["component.client/priority"], 15: ["component.client/prio"],
                     16: ["component.client/quota"],
                     17: ["component.client/imports/echo", "component.client/imports/other"],
                     20: ["component.client/args/rounds"], 21: ["component.client/args/roundz"]}
    assert "Did you mean 'frames'?" in found[5][0][1]
    assert "Did you mean 'priority'?" in found[15][0][1]


def test_mistakes_of_wiring_in_all_components(tmp_path):
    found = mistakes(tmp_path, HEAD + """
[[component]]
name = "one"
image = "client"
priority = 3
imports = { echo = "nix", other = "nox" }

[[component]]
name = "two"
image = "client"
priority = 3
[component.imports]
echo = "one"
other = "nix"
""")
    assert {line: len(entries) for line, entries in found.items()} == {9: 2, 16: 1, 17: 1}
    assert "There is no component 'nix'" in found[17][0][1]


def test_a_wrong_component_does_not_make_its_clients_wrong(tmp_path):
    found = mistakes(tmp_path, HEAD + """
[[component]]
name = "server"
image = "server"
cpu = "first"
imports = { clock = "client" }

[[component]]
name = "client"
image = "client"
priority = 3
imports = { echo = "server", other = "server" }
""")
    assert {line: [place for place, _ in entries] for line, entries in found.items()} == {
        8: ["component.server/cpu"], 9: ["component.server/imports/clock"]}


def test_a_missing_table_is_asked_for_as_a_table(tmp_path):
    path = tmp_path / "none.toml"
    path.write_text('[[component]]\nname = "a"\nimage = "sched.mini"\n')
    line = support.only_line(support.compose(path))
    assert "[system]: 'system' is missing" in line and "Add a table [system]" in line


def test_a_key_that_is_meant_is_named(tmp_path):
    found = mistakes(tmp_path, '[system]\nnmae = "several"\nframes = "1M"\n')
    assert "Was 'nmae' meant?" in found[1][0][1]


def test_names_of_wrong_types_are_mistakes_like_others(tmp_path):
    found = mistakes(tmp_path, HEAD + """
[[component]]
name = ["a"]
image = "server"
[[channel]]
name = "c"
owner = ["a"]
""")
    assert {line: entries[0][0] for line, entries in found.items()} == {
        5: "component.first/imports/clock", 6: "component.first/name", 10: "channel.c/owner"}


def test_text_of_several_lines_does_not_move_the_lines(tmp_path):
    found = mistakes(tmp_path, HEAD + """
[[component]]
name = "client"
image = "client"
priority = 3
imports.echo = "nix"
args.rounds = '''
[system]
'''
imports.other = "nox"
""")
    assert set(found) == {9, 13}


def test_a_file_that_is_no_toml_names_its_line(tmp_path):
    assert list(mistakes(tmp_path, HEAD + "a = \n")) == [4]


def test_several_mistakes_of_one_table_do_not_hide_those_of_others(tmp_path):
    found = mistakes(tmp_path, """[system]
nmae = "several"
cpu = 1
frames = "1M"

[[component]]
name = "client"
image = "client"
priority = 3
prio = 4
quotas = 5
imports = 6
[component.args]
count = "many"
label = 7

[extra]
""")
    where = {line: sorted(place for place, _ in entries) for line, entries in found.items()}
    assert where == {1: ["system/name"], 2: ["system/nmae"], 3: ["system/cpu"], 10: ["component.client/prio"],
                     11: ["component.client/quotas"], 12: ["component.client/imports"],
                     14: ["component.client/args/count"], 15: ["component.client/args/label"], 17: ["extra"]}


def test_a_wrong_type_says_what_to_write(tmp_path):
    found = mistakes(tmp_path, 'component = 4\nsystem = 5\n')
    assert found == {1: [("component", "'component' is of type integer. It must be a list. Write tables [[component]].")],
                     2: [("system", "'system' is of type integer. It must be a table. Write a table [system].")]}
    found = mistakes(tmp_path, 'component = 4\n' + HEAD.replace('"1M"', "1"))
    assert {line: entries[0][1] for line, entries in found.items()} == {
        1: "'component' is of type integer. It must be a list. Write tables [[component]].",
        4: "'frames' is of type integer. It must be a text. Write frames = \"64K\"."}


#: A component with a thread, for channels.
OWNER = """
[[component]]
name = "sched"
image = "sched.mini"

[[component]]
name = "one"
image = "client"
priority = 3
imports = { echo = "server", other = "server" }

[[component]]
name = "server"
image = "server"
imports = { clock = "sched" }
"""


def places(tmp_path, text):
    """Returns the places of all mistakes of OWNER with more tables, in the order of the output."""
    return [place for entries in mistakes(tmp_path, HEAD + OWNER + text).values() for place, _ in entries]


def test_all_mistakes_of_a_channel(tmp_path):
    found = places(tmp_path, """
[[channel]]
name = "a b"
owner = "nix"
size = "3K"
direction = "up"
mode = "letters"
access = "0999"
colour = 3
""")
    keys = ("mode", "name", "owner", "size", "direction", "access", "colour")
    assert sorted(found) == sorted(f"channel.a b/{key}" for key in keys)


def test_a_wrong_mode_or_size_of_a_channel_has_no_other_mistakes(tmp_path):
    """Keys that some mode allows are not refused with the mode."""
    assert places(tmp_path, """
[[channel]]
name = "net0"
owner = "one"
mode = "netwrk"
mac = "02:00:00:00:00:02"
mtu = 9000
size = "8K"
[[channel]]
name = "net1"
owner = "one"
mode = "network"
mtu = 4000
size = "many"
""") == ["channel.net0/mode", "channel.net1/size"]


def test_channels_of_a_wrong_component_are_checked_alone(tmp_path):
    text = """
[[component]]
name = "wrong"
image = "client"
priority = 5000
imports = { echo = "server", other = "server" }
[[channel]]
name = "first"
owner = "wrong"
[[channel]]
name = "first"
owner = "wrong"
size = "5K"
[[mbuff]]
name = "memory"
owner = "wrong"
size = "4K"
shared-with = ["one", "wrong"]
[[mqtt]]
owner = "wrong"
name = "speed"
topic = "plant/#"
"""
    assert places(tmp_path, text) == ["component.wrong/priority", "channel.first/name", "channel.first/size",
                                      "mqtt.speed/topic"]


def test_all_mistakes_of_fifos_and_buffers(tmp_path):
    found = places(tmp_path, """
[[fifo]]
number = 64
count = 0
owner = "nix"
size = "5K"
direction = "up"
access = "rw"
mode = "fifo"
[[mbuff]]
name = "a b"
owner = "server"
size = "5K"
access = "rw"
shared-with = ["nix"]
mode = "shared"
""")
    fifo = {place.split("/")[1] for place in found if place.startswith("fifo.")}
    assert fifo == {"number", "count", "owner", "size", "direction", "access", "mode"}
    assert {place.split("/")[1] for place in found if place.startswith("mbuff.")} == {
        "name", "owner", "size", "access", "shared-with", "mode"}
    assert len(found) == 13


def test_all_mistakes_of_a_bridge(tmp_path):
    found = places(tmp_path, """
[[channel]]
name = "speed"
owner = "one"
[[bridge]]
channel = "speed"
topic = "a b"
type = "std_msgs/Float64"
fields = ["double"]
direction = "up"
reliability = "no"
durability = "no"
history = "no"
depth = 0
colour = 3
""")
    keys = {"topic", "type", "fields", "direction", "reliability", "durability", "history", "depth", "colour"}
    assert {place.split("/")[1] for place in found} == keys and len(found) == len(keys)


def test_a_wrong_key_of_a_bridge_does_not_make_others_wrong(tmp_path):
    """The topic depends on the type, fields on the channel, and depth on the history."""
    found = mistakes(tmp_path, HEAD + OWNER + """
[[channel]]
name = "down"
owner = "one"
direction = "from-linux"
[[channel]]
name = "wrong"
owner = "one"
size = "5K"
[[bridge]]
channel = "down"
topic = "/speed"
type = "a b"
fields = ["double data[4000]"]
[[bridge]]
channel = "wrong"
topic = "speed"
type = "plant::Speed"
fields = ["double data"]
history = "keep_all"
reliability = "none"
""")
    assert [place.split("/")[1] for line in sorted(found) for place, _ in found[line]] == [
        "size", "direction", "type", "reliability"]


def test_all_mistakes_of_an_mqtt_topic(tmp_path):
    found = places(tmp_path, """
[[mqtt]]
owner = "one"
name = "a b"
topic = "a/#"
qos = 5
direction = "up"
retain = 1
colour = 3
""")
    keys = ("owner", "name", "direction", "topic", "qos", "retain", "colour")
    assert {place.split("/")[1] for place in found} == set(keys) and len(found) == len(keys)


def test_stages_do_not_hide_each_other(tmp_path):
    """A wrong priority, wrong imports and a second component of a name are mistakes of one run."""
    found = mistakes(tmp_path, HEAD + OWNER + """
[[component]]
name = "two"
image = "client"
priority = 5000
imports = { echo = "nix", other = "one", third = "server" }

[[component]]
name = "server"
image = "sched.mini"

[[component]]
name = "loop"
image = "server"
imports = { clock = "one" }
""")
    assert sorted(place for entries in found.values() for place, _ in entries) == [
        "component.loop/imports/clock", "component.server/name", "component.two/imports/echo",
        "component.two/imports/other", "component.two/imports/third", "component.two/priority"]


def test_a_cycle_is_found_with_other_mistakes(tmp_path):
    path = tmp_path / "cycle.toml"
    path.write_text('[system]\nname = "several"\nframes = "lots"\n' + """
[[component]]
name = "a"
image = "relay"
imports = { next = "b" }
[[component]]
name = "b"
image = "relay"
imports = { next = "a" }
""")
    lines = support.refused_lines(support.compose(path, "--components", support.TREE / "unbuilt"))
    assert len(lines) == 2 and "[system/frames]" in lines[0] and "forms a cycle" in lines[1]


def test_a_wrong_image_does_not_hide_keys_of_every_component(tmp_path):
    assert places(tmp_path, """
[[component]]
name = "two"
image = "clint"
cpu = "first"
quota = 5
restart = "never"
restart-limit = 3
imports = { echo = "server" }
args = { rounds = 3 }
prio = 3
""") == [f"component.two/{key}" for key in ("image", "cpu", "quota", "restart", "prio")]


def test_a_wrong_restart_allows_the_keys_of_restarts(tmp_path):
    assert places(tmp_path, """
[[component]]
name = "two"
image = "server"
imports = { clock = "sched" }
restart = "never"
restart-limit = 3
restart-backoff-ms = -1
colour = 3
""") == [f"component.two/{key}" for key in ("restart", "restart-backoff-ms", "colour")]


def test_all_resources_that_are_assigned_twice(tmp_path):
    assert places(tmp_path, """
[[component]]
name = "two"
image = "client"
priority = 3
imports = { echo = "server", other = "server" }
ports = ["0x2f8", "0x3f8", "0x2f8"]
interrupts = [3, 3]
""") == ["component.two/ports", "component.two/interrupts"]


def component_places(tmp_path, text):
    """Builds a component in a folder `mine`. Returns the places of its mistakes in the order of the output."""
    folder = tmp_path / "mine"
    folder.mkdir(exist_ok=True)
    (folder / "component.toml").write_text(text)
    (folder / "main.c").write_text("int unused;\n")
    result = support.component(folder, "-o", tmp_path / "mine.o", "--interfaces", support.TREE / "interfaces")
    lines = support.refused_lines(result)
    assert all(re.search(r"component\.toml:\d+:\[", line) for line in lines)
    return [line.split(":[")[1].split("]: ")[0] for line in lines]


def test_all_mistakes_of_a_component(tmp_path):
    assert component_places(tmp_path, """
[component]
name = "other"
priority = "high"
thread = true
libc = "glibc"
colour = 3
stack = "5K"
threads = -1
heap = 3
privileges = ["root"]
fpu = 3
sources = ["none.c"]
optional = "echo"
each-thread = -1
defines = 3
includes = 3
cflags = ["x"]
cxxflags = ["x"]
rustflags = ["x"]
stacks = 0

[imports]
echo = 5
"9" = "echo"

[exports]
interfaces = 5
extra = 1

[args]
"A" = "Text."
count = { type = "int", min = "a", colour = 3 }

[extra]
""") == [*(f"component/{key}" for key in ("doc", "threads", "stack", "heap", "privileges", "fpu", "sources")),
         "exports/interfaces", "exports/extra", "imports/echo", "imports/9", "args/A",
         *(f"args/count/{key}" for key in ("doc", "type", "min", "colour")),
         *(f"component/{key}" for key in ("optional", "each-thread", "priority", "libc", "defines", "includes",
                                          "cflags", "cxxflags", "rustflags", "stacks", "colour")),
         "extra", "component/name"]


def test_a_wrong_key_of_a_component_does_not_make_others_wrong(tmp_path):
    """Threads and the C library need imports, priority needs a thread, and stacks exclude a C library."""
    assert component_places(tmp_path, """
[component]
name = "mine"
doc = "Mine."
thread = "yes"
priority = 3
threads = 2
libc = "musl"
optional = ["socket", "sched"]

[imports]
sched = 5
log = "log"
mem = "mem"
""") == ["imports/sched", "component/thread"]
    assert component_places(tmp_path, """
[component]
name = "mine"
doc = "Mine."
imports = 5
threads = 2
libc = "glibc"
optional = ["socket"]
stacks = 2
package = 3
""") == ["component/libc", "component/package", "component/imports"]


def test_mistakes_of_a_component_are_among_those_of_a_system(tmp_path):
    folder = tmp_path / "components" / "mine"
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text('[component]\nname = "mine"\ncolour = 3\n')
    path = tmp_path / "system.toml"
    path.write_text(HEAD.replace('"1M"', "1") + '[[component]]\nname = "a"\nimage = "mine"\ncpu = "first"\n' * 2)
    lines = support.refused_lines(support.compose(path, "--components", tmp_path / "components"))
    assert [line.split(":[")[1].split("]: ")[0] for line in lines] == [
        "system/frames", "component/doc", "component/colour", "component.a/cpu", "component.a/cpu", "component.a/name"]


def test_all_mistakes_of_an_interface(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "interface.toml").write_text("""
[interface]
name = "other"
version = 0
colour = 3

[[function]]
name = "double"
colour = 3
args = [{ name = "9", doc = 3, range = 3, unit = 3, colour = 3 }]
results = [{ name = "int", doc = "Text." }]
errors = [{ error = "EWRONG", colour = 3 }, { error = "ENONE", doc = "Text." }]
context = 3
cost = 3

[[function]]
name = "twice"
doc = "Text."
[[function]]
name = "twice"
doc = "Text."

[extra]
""")
    lines = support.refused_lines(support.interface(folder / "interface.toml"))
    assert all(re.search(r"interface\.toml:\d+:\[", line) for line in lines)
    assert [line.split(":[")[1].split("]: ")[0] for line in lines] == [
        "interface/version", "interface/doc", "interface/colour", "function.double/name", "function.double/doc",
        *(f"function.double/args.9/{key}" for key in ("name", "doc", "range", "unit", "colour")),
        "function.double/results.int/name", "function.double/errors.EWRONG/error", "function.double/errors.EWRONG/doc",
        "function.double/errors.EWRONG/colour", "function.double/errors.ENONE/error", "function.double/context",
        "function.double/cost", "function.double/colour", "function", "extra", "interface/name"]


def test_a_place_names_its_table(tmp_path):
    """A table without a name has that of its channel, or its position."""
    assert places(tmp_path, """
[[channel]]
name = "speed"
owner = "one"
[[channel]]
owner = "one"
[[bridge]]
channel = "speed"
topic = "/speed"
type = "std_msgs/msg/Float64"
[[bridge]]
topic = "speed"
type = "plant::Speed"
fields = ["double data"]
[[bridge]]
topic = "/speed"
type = "std_msgs/msg/Float64"
fields = ["double data"]
[[fifo]]
number = 3
""") == ["channel.second/name", "fifo.3/owner", "bridge.speed/fields", "bridge.speed/channel", "bridge.third/channel"]
