# SPDX-License-Identifier: BSD-2-Clause
"""Tests components that can be replaced. Two builds have the same records, so gates and settings of one fit the other."""

import json
import struct
import types

import damage
import pytest
import support

from tools.compose import update
from tools.compose.contract import IMAGE, VALUES

PAGE = VALUES["LIMPET_PAGE"]
TOML = '[component]\nname = "mine"\ndoc = "A test."\n[exports]\ninterfaces = ["echo"]\n[imports]\nclock = "clock"\n{more}'
MORE = 'sched = "sched"\n'
SYSTEM = """\
[system]
name = "update"
frames = "16M"
[[component]]
name = "sched"
image = "sched.mini"
[[component]]
name = "k"
image = "keeper"
[[component]]
name = "mine"
image = "mine"
faults = "k"
restart = "image"
update = "8K"
imports = {{ {imports} }}
[[component]]
name = "client"
image = "client"
priority = 7
imports = {{ echo = "mine", other = "mine" }}
args = {{ rounds = 1, mode = "fast" }}
"""


def compose(tmp_path, name, extra="", more=""):
    """Builds the component with more code, and composes the system. Returns the result and the image's path."""
    folder, out = tmp_path / name / "mine", tmp_path / f"{name}.limpet"
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text(TOML.format(more=more))
    server = support.TREE / "components" / "server" / "server.c"
    (folder / "mine.c").write_text(server.read_text() + extra)
    made = support.component(folder, "-o", folder.parent / "mine.o", "--interfaces", support.TREE / "interfaces",
                             "--interfaces", support.ROOT / "interfaces")
    assert made.returncode == 0, made.stderr
    system = tmp_path / f"{name}.toml"
    system.write_text(SYSTEM.format(imports='clock = "sched", sched = "sched"' if more else 'clock = "sched"'))
    result = support.compose(system, "--components", folder.parent, "--objects", folder.parent, "--objects",
                             support.BUILD / "components", "-o", out, "--json")
    return result, out


def mine(result):
    """Returns the component's description without the file sizes, which may differ between two builds."""
    assert result.returncode == 0, result.stderr
    found = next(c for c in json.loads(result.stdout)["components"] if c["name"] == "mine")
    for segment in found["segments"]:
        del segment["file_size"]
    return found


def wires(path):
    """Returns the entries of gates in an image."""
    image = path.read_bytes()
    head = IMAGE["limpet_image"].unpack(image)
    wire = IMAGE["limpet_image_wire"]
    return [wire.unpack(image, head["wires_at"] + n * wire.size)["entry"] for n in range(head["wires"])]


def interfaces(path):
    """Returns the check sum of interfaces in the table of entries."""
    image = path.read_bytes()
    at = image.index(struct.pack("<I", VALUES["LIMPET_UPDATE_MAGIC"]))
    return struct.unpack_from("<I", image, at + 4)[0]


@pytest.fixture(scope="module")
def one(built, tmp_path_factory):
    """(result, path of the image)"""
    return compose(tmp_path_factory.mktemp("update"), "one")


def test_builds_have_the_same_places(one, tmp_path):
    first, one = one
    second, two = compose(tmp_path, "two", "const char much[5000] = { 1 };\nchar more[3000] = { 2 };\n"
                          "int called(int a);\nint called(int a) { return much[a] + more[a]; }\n")
    assert mine(first) == mine(second)
    assert wires(one) == wires(two)
    assert interfaces(one) == interfaces(two)
    for path in (one, two):
        assert support.run(support.BUILD / "tools" / "image-check", path).returncode == 0
    base = mine(first)["segments"][0]["address"]
    assert [s["address"] - base for s in mine(first)["segments"]] == [0, 2 * PAGE, 4 * PAGE]
    assert base < min(w for w in wires(one) if w > base) < base + 100


def test_other_interfaces_show(one, tmp_path):
    _, two = compose(tmp_path, "two", more=MORE)
    assert interfaces(one[1]) != interfaces(two)


def test_too_large(built, tmp_path):
    result, _ = compose(tmp_path, "one", "char large[9000] = { 1 };\nchar *where(void);\nchar *where(void) { return large; }\n")
    lines = support.refused_lines(result)
    assert len(lines) == 1
    assert "[component.mine/update]: 'update' reserves 8K. Code, constants or data of mine are larger. Write" in lines[0]


@pytest.mark.parametrize("field, value, words", [
    ("component.{0}.flags", VALUES["LIMPET_COMPONENT_UPDATE"] | VALUES["LIMPET_COMPONENT_CPU"],
     "allows updates, but the component does not restart"),
    ("component.{0}.segments", 2, "must be 3 for a component that can be updated"),
    ("segment.{1}.size", PAGE, "must have the place, size and rights of its part for updates"),
    ("segment.{1}.rights", 1, "must have the place"),
])
def test_damaged_image(one, tmp_path, field, value, words):
    result, out = one
    index = mine(result)["index"]
    at = IMAGE["limpet_image_component"]
    image, damaged = out.read_bytes(), tmp_path / "damaged.limpet"
    head = IMAGE["limpet_image"].unpack(image)
    segment = at.unpack(image, head["components_at"] + index * at.size)["segment"]
    damaged.write_bytes(damage.damage(image, {"patch": [{"field": field.format(index, segment + 2), "value": value}]}))
    result = support.run(support.BUILD / "tools" / "image-check", damaged)
    assert result.returncode == 1
    assert words in result.stderr, result.stderr


def test_program_with_a_c_library_cannot_be_replaced():
    definition = types.SimpleNamespace(libc="musl", privileges=[])
    instance = types.SimpleNamespace(supervisor=1, policy=types.SimpleNamespace(restarts=True), definition=definition)
    assert update.refusal(instance).startswith("the component is a program with a C library. ")
    definition.libc = ""
    assert update.refusal(instance) is None
