# SPDX-License-Identifier: BSD-2-Clause
"""Tests the contents of image, report and picture of good systems."""

import json
import os
import subprocess
import zlib
from itertools import combinations
from types import SimpleNamespace

import pytest
import support
from tools.compose import contract, musl

FULL = support.TREE / "systems" / "full.toml"
SMALL = support.TREE / "systems" / "small.toml"
SNAPSHOT = support.ROOT / "tests" / "unit" / "compose" / "snapshot"
PAGE = 4096


class Image:
    """Parses an image into records with their strings."""

    def __init__(self, data):
        self.data = data
        self.header = contract.IMAGE["limpet_image"].unpack(data)
        for name in ("component", "segment", "wire", "arg", "resource", "channel"):
            layout = contract.IMAGE[f"limpet_image_{name}"]
            setattr(self, f"{name}s", [
                layout.unpack(data, self.header[f"{name}s_at"] + n * layout.size)
                for n in range(self.header[f"{name}s"])])

    def text(self, offset):
        start = self.header["strings_at"] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def names(self):
        return [self.text(c["name"]) for c in self.components]

    def segments_of(self, c):
        return self.segments[c["segment"]:c["segment"] + c["segments"]]


@pytest.fixture(scope="module")
def full(built, tmp_path_factory):
    out = tmp_path_factory.mktemp("full") / "full.limpet"
    result = support.compose(FULL, "-o", out, "--report", out.with_suffix(".txt"), "--svg",
                             out.with_suffix(".svg"))
    assert result.returncode == 0, result.stderr
    return out


@pytest.fixture(scope="module")
def image(full):
    return Image(full.read_bytes())


def test_header(image):
    h = image.header
    assert h["magic"] == contract.VALUES["LIMPET_IMAGE_MAGIC"] and h["version"] == 8
    assert image.data[:8] == b"Limpxpet"
    assert h["size"] == len(image.data) and h["size"] % PAGE == 0
    assert (h["cpus"], h["frames"], image.text(h["name"])) == (2, 4096, "full")
    crc_at = contract.IMAGE["limpet_image"].offset("crc")
    blank = image.data[:crc_at] + b"\0" * 4 + image.data[crc_at + 4:]
    assert h["crc"] == zlib.crc32(blank)


def test_servers_stand_first(image):
    names = image.names()
    assert names[0] == "booter" and image.components[0]["flags"] == 1
    assert sorted(names[1:]) == sorted(["sched", "front", "vector", "back", "client", "sched1", "nest",
                                       "keeper", "pager", "team", "lone"])
    for index, c in enumerate(image.components):
        for w in image.wires[c["wire"]:c["wire"] + c["wires"]]:
            assert 0 < w["server"] < index


def test_slots_and_badges(image):
    client = image.components[image.names().index("client")]
    wires = image.wires[client["wire"]:client["wire"] + client["wires"]]
    assert [w["slot"] for w in wires] == [12, 13, 14, 15, 16, 17]
    assert {w["badge"] for w in wires} == {1 + image.names().index("client")}
    assert [(image.text(w["import"]), image.text(w["function"])) for w in wires] == [
        (name, function) for name in ("echo", "other") for function in ("none", "four", "six")]
    assert [image.names()[w["server"]] for w in wires] == ["front"] * 3 + ["back"] * 3


def test_addresses(image):
    for index, c in enumerate(image.components):
        base = 0x1000000000 + index * 0x40000000
        ranges = [(s["address"], s["size"]) for s in image.segments_of(c)]
        ranges += [(c["info"], PAGE), (c["stacks"], 64 << c["stack_shift"])]
        ranges += [(c["heap"], c["heap_size"])] if c["heap_size"] else []
        for start, size in ranges:
            assert start % PAGE == size % PAGE == 0
            assert base <= start and start + size <= base + 0x20000000
        for (a, a_size), (b, b_size) in combinations(ranges, 2):
            assert a + a_size <= b or b + b_size <= a
        text = image.segments_of(c)[0]
        assert text["rights"] == 5 and c["entry"] == text["address"] == base


def test_rights(image):
    assert {s["rights"] for s in image.segments} == {1, 3, 5}


def test_stack_and_heap(image):
    client = image.components[image.names().index("client")]
    assert client["heap_size"] == 65536 and client["stack_shift"] == 15
    assert image.components[image.names().index("sched")]["stack_shift"] == 14


def test_threads(image):
    priorities = dict(zip(image.names(), (c["priority"] for c in image.components)))
    assert priorities == {"booter": 0, "sched": 255, "front": 0, "vector": 3, "back": 9,
                          "client": 7, "sched1": 200, "nest": 20, "keeper": 0, "pager": 0,
                          "team": 0, "lone": 4}
    assert {c["threads"] for c in image.components} == {0, 3}
    assert image.components[image.names().index("team")]["threads"] == 3


def test_schedulers(image):
    """The scheduler is the root, the server of the import, or the one that the system file names."""
    names = image.names()
    by = {name: names[c["scheduler"]] for name, c in zip(names, image.components)
          if c["scheduler"]}
    assert by == {"vector": "sched", "back": "sched", "client": "sched", "nest": "sched",
                  "team": "nest", "lone": "nest"}


def test_faults(image):
    names, values = image.names(), contract.VALUES
    by = {name: (names[c["faults"]], names[c["supervisor"]])
          for name, c in zip(names, image.components) if c["faults"]}
    assert by == {"pager": ("keeper", "keeper"), "team": ("pager", "keeper"),
                  "lone": ("keeper", "keeper")}
    for c in image.components:
        text = image.segments_of(image.components[c["faults"]])[0]
        assert not c["faults"] or text["address"] < c["faults_entry"] < \
            text["address"] + text["file_size"]
    team, lone = (image.components[names.index(name)] for name in ("team", "lone"))
    keys = ("restart", "restart_limit", "restart_backoff_ms", "heartbeat_ms")
    assert [team[key] for key in keys] == [values["LIMPET_RESTART_CHECKPOINT"], 3, 10, 500]
    assert [lone[key] for key in keys] == [values["LIMPET_RESTART_STOP"], 0, 0, 0]


def test_quotas(image):
    quotas = {name: c["quota"] for name, c in zip(image.names(), image.components)}
    assert quotas["team"] == 512 and set(quotas.values()) == {256, 512}


def test_trace(image):
    assert image.header["trace"] == 16384


def test_import_that_is_left_out(image):
    """team's other_none is an invocation of slot 0, which is always empty."""
    team = image.components[image.names().index("team")]
    s = image.segments_of(team)[0]
    text = image.data[s["at"]:s["at"] + s["file_size"]]
    assert b"\x48\xc7\xc0\xff\xff\xff\xff\x0f\x05" in text


def test_arguments(image):
    client = image.components[image.names().index("client")]
    args = image.args[client["arg"]:client["arg"] + client["args"]]
    assert [(image.text(a["name"]), a["number"]) for a in args] == [("rounds", -1000), ("mode", 0)]
    assert args[0]["text"] == 0xFFFFFFFF and image.text(args[1]["text"]) == "fast"


def test_resources(image):
    """Resources are sorted by component. Ranges have whole pages. Interrupt lines below 16 are edge triggered, others
    level.
    """
    values, names = contract.VALUES, image.names()
    kind = [values[f"LIMPET_RESOURCE_{name}"] for name in ("PORTS", "MEMORY", "INTERRUPT", "PCI")]
    linux, message = values["LIMPET_LINE_LINUX"], values["LIMPET_LINE_MESSAGE"]
    assert names.index("back") < names.index("client")
    assert [(names[r["component"]], kind.index(r["kind"]), r["first"], r["count"], r["flags"])
            for r in image.resources] == [
        ("back", 1, 0xfed01000, PAGE, 0), ("back", 2, linux, 1, 0), ("back", 2, message, 1, 0),
        ("back", 2, message, 1, 0), ("client", 0, 0x2f8, 8, 0), ("client", 0, 112, 1, 0),
        ("client", 1, 0xfed00000, PAGE, 2), ("client", 1, 0xfed10000, PAGE, 0),
        ("client", 2, 3, 1, 0), ("client", 2, 20, 1, 0), ("client", 2, 9, 1, 1),
        ("client", 2, 21, 1, 1), ("client", 2, linux, 1, 0), ("client", 3, 3 << 3, 1, 0)]


def test_channels(image):
    """Channels are sorted by component and numbered by CPU. Sizes and permissions are those of the file, or defaults.
    """
    names = image.names()
    assert [(names[c["component"]], c["number"], image.text(c["name"]), c["mode"], c["to_linux"] >> 10,
             c["to_component"] >> 10, c["access"], c["mtu"]) for c in image.channels] == [
        ("back", 2, "sensor", 1, 16, 16, 0o600, 0), ("back", 3, "limpet0", 4, 32, 32, 0, 9000),
        ("client", 4, "log.text", 2, 4, 0, 0o644, 0), ("sched1", 2, "net1", 4, 64, 64, 0, 1500),
        ("lone", 5, "commands", 1, 0, 64, 0o620, 0), ("lone", 6, "picture-1", 3, 252, 0, 0o600, 0)]
    macs = [c["mac"].to_bytes(6, "little") for c in image.channels]
    assert macs[1] == bytes.fromhex("02005e000010")
    assert macs[3][0] == 2 and macs[3][5] % 2 == 0 and macs[3] != macs[1]
    assert not any(any(macs[n]) for n in (0, 2, 4, 5))


def test_memory_of_channels(built, tmp_path):
    """Each channel needs its pages and a page for the header. Its component needs another page for the description."""
    text = FULL.read_text()
    needed = []
    for kept in (text, text[:text.index("[[channel]]")] + text[text.rindex("[[component]]"):]):
        path = tmp_path / "full.toml"
        path.write_text(kept.replace("../ramdisk", str(support.TREE / "ramdisk")))
        data = json.loads(support.compose(path, "--json").stdout)
        parts = data["memory"][0]["components"] + data["memory"][1]["components"]
        needed.append({c["name"]: c["contents"] for c in parts})
    more = {name: needed[0][name] - needed[1][name] for name in needed[0]}
    assert {name: n for name, n in more.items() if n} == {
        "back": 1 + 9 + 17, "client": 1 + 2, "lone": 1 + 17 + 64, "sched1": 1 + 33}


def test_import_symbols_are_slots(image):
    """The client's code contains mov $-1-slot, %rax for each import."""
    client = image.components[image.names().index("client")]
    s = image.segments_of(client)[0]
    text = image.data[s["at"]:s["at"] + s["file_size"]]
    for slot in (12, 16):  # echo_none and other_four are invoked
        assert b"\x48\xc7\xc0" + (-1 - slot).to_bytes(4, "little", signed=True) in text


def test_linux_restarts(image):
    assert image.header["restarts"] == 0xFFFFFFFF


def test_ramdisk_is_a_cpio_archive(image, tmp_path):
    h = image.header
    archive = image.data[h["ramdisk_at"]:h["ramdisk_at"] + h["ramdisk_size"]]
    result = subprocess.run(["cpio", "-idm", "--quiet"], input=archive, cwd=tmp_path, check=False,
                            capture_output=True)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "hello.txt").read_text() == "hello\n"
    assert (tmp_path / "sub" / "deep.txt").read_text() == "deep\n"


def test_same_input_same_bytes(full, tmp_path):
    again = tmp_path / "again.limpet"
    result = support.run("env", "PYTHONHASHSEED=7", "tools/limpet-compose", FULL, *support.FOLDERS,
                         "--objects", support.BUILD / "components", "-o", again, "--report",
                         tmp_path / "again.txt", "--svg", tmp_path / "again.svg")
    assert result.returncode == 0, result.stderr
    for suffix in (".limpet", ".txt", ".svg"):
        assert again.with_suffix(suffix).read_bytes() == full.with_suffix(suffix).read_bytes()


@pytest.mark.parametrize("system", [FULL, SMALL])
def test_checker_accepts(built, system, tmp_path):
    out = tmp_path / "x.limpet"
    assert support.compose(system, "-o", out).returncode == 0
    result = support.run("tools/limpet-compose", "--check", out)
    assert result.returncode == 0 and result.stdout == f"{out}: good\n", result.stderr


def test_report(full):
    """The test compares only what does not depend on the compiler's code sizes."""
    text = full.with_suffix(".txt").read_text()
    kept = SNAPSHOT / "full-report.txt"
    parts = text[text.index("Wiring"):text.index("Memory of")]
    if os.environ.get("SNAPSHOT") == "update":
        kept.write_text(parts)
    assert parts == kept.read_text()
    assert text.startswith("System full: 12 components on 2 CPUs, image of ")
    assert all(len(line) == len(line.rstrip()) for line in text.splitlines())


def test_json(built):
    result = support.compose(FULL, "--json")
    data = json.loads(result.stdout)
    assert data["name"] == "full" and len(data["components"]) == 12
    assert data["memory"][0]["needed"] == sum(
        c["total"] for c in data["memory"][0]["components"])
    client = next(c for c in data["components"] if c["name"] == "client")
    assert client["thread"] == 4 and client["capabilities"][0]["slots"] == "1"


def test_picture_names_everything(full):
    text = full.with_suffix(".svg").read_text()
    for word in ("client", "vector", "front", "back", "sched1", "CPU 1", "echo", "other",
                 "/dev/limpet/sensor", "limpet0", "/dev/limpet/commands", "shared"):
        assert word in text
    assert "<!--" not in text


def test_nothing_is_written_when_one_output_fails(built, tmp_path):
    out = tmp_path / "x.limpet"
    result = support.compose(FULL, "-o", out, "--report", tmp_path / "no" / "x.txt")
    support.only_line(result)
    assert list(tmp_path.iterdir()) == []


def test_all_systems_of_the_project_are_well_wired():
    """Without objects, the only error of each system is that components are not built."""
    for system in sorted((support.ROOT / "systems").glob("*.toml")):
        result = support.run("tools/limpet-compose", system, "--objects", "/nonexistent")
        assert "Components must be built first" in support.only_line(result)


def test_a_program_with_sockets_has_one_more_thread():
    assert musl.threads({"sched": "sched", "log": "log", "mem": "mem"}) == 1
    assert musl.threads({"sched": "sched", "log": "log", "mem": "mem", "socket": "net"}) == 2


def test_long_texts_of_programs_are_split_into_records():
    program, other = SimpleNamespace(libc="musl", name="app"), SimpleNamespace(libc=None, name="other")
    text = "x" * 38 + "\u00e4" + "y" * 40
    pieces = musl.pieces(program, "argv", text)
    assert [name for name, _ in pieces] == ["argv", "argv.1", "argv.2"]
    assert [len(part) for _, part in pieces] == [39, 39, 2]
    assert b"".join(part for _, part in pieces).decode() == text
    assert musl.pieces(program, "args15", "short") == [("args15", b"short")]
    assert musl.pieces(program, "policy", "fifo") == [("policy", "fifo")]
    assert musl.pieces(program, "stack-kib", 64) == [("stack-kib", 64)]
    assert musl.pieces(other, "argv", text) == [("argv", text)]
