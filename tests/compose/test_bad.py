# SPDX-License-Identifier: BSD-2-Clause
"""The corpus of bad input: each file is refused with the one line that its first line expects.

system-*.toml is composed, component-*.toml built, interface-*.toml generated from, and image-*.toml
says how a good image is damaged before it is checked.
"""

import shutil
import re
import tomllib
from pathlib import Path

import damage
import pytest
import support

BAD = Path(__file__).parent / "bad"
FILES = sorted(BAD.glob("*.toml"))
EXPECT = "# expect: "


def run_system(path, out):
    return support.compose(path, "--components", support.TREE / "unbuilt", "--interfaces", support.ROOT / "interfaces",
                           "-o", out, "--report", out.with_suffix(".txt"), "--svg", out.with_suffix(".svg"))


def run_component(path, out):
    folder = out.parent / "in" / "bad"
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "component.toml")
    (folder / "main.c").write_text("int unused;\n")
    return support.component(folder, "-o", out, "--interfaces", support.TREE / "interfaces")


def run_interface(path, out):
    folder = out.parent / "in" / "bad"
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "interface.toml")
    return support.interface(folder / "interface.toml", "--client", out, "--server", out,
                             "--header", out, "--page", out)


@pytest.fixture(scope="session")
def good(built, tmp_path_factory):
    out = tmp_path_factory.mktemp("good") / "full.limpet"
    assert support.compose(support.TREE / "systems" / "full.toml", "-o", out).returncode == 0
    return out.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_is_refused(path, built, good, tmp_path):
    first = path.read_bytes().split(b"\n", 1)[0].decode()
    assert first.startswith(EXPECT) and len(first) > len(EXPECT)
    out, kind = tmp_path / "out", path.stem.split("-")[0]
    if kind == "image":
        damaged = tmp_path / "in.limpet"
        damaged.write_bytes(damage.damage(good, tomllib.loads(path.read_text())))
        result = support.run(support.BUILD / "tools" / "image-check", damaged)
    else:
        run = {"system": run_system, "component": run_component, "interface": run_interface}[kind]
        result = run(path, out)
    line = support.only_line(result)
    assert first[len(EXPECT):] in line
    assert kind == "image" or re.search(r"\.toml:\d+:\[", line), f"no file and line: {line}"
    assert not [p for p in tmp_path.iterdir() if p.name.startswith("out") and p.is_file()]


def test_there_are_enough():
    assert len(FILES) >= 60


def test_every_reason_of_the_checker_has_a_file(built, good, tmp_path):
    """For each refusal of the image's checker the corpus has a damaged image."""
    text = "".join(path.read_text() for path in support.CHECKER)
    calls = re.split(r"refuse\(\s*checker,\s*", text)[1:]
    reasons = {call.split('"')[-2] if call.count('"') < 4 else call.split('"')[3]
               for call in (call.split(";")[0] for call in calls) if '"' in call}
    shown = set()
    for path in BAD.glob("image-*.toml"):
        damaged = tmp_path / "in.limpet"
        damaged.write_bytes(damage.damage(good, tomllib.loads(path.read_text())))
        shown.add(support.run(support.BUILD / "tools" / "image-check", damaged).stderr)
    missing = [reason for reason in reasons if not any(reason in line for line in shown)]
    # tests/unit/image has the others: a damaged image has too few threads, resources and channels for the first three,
    # neither FIFOs nor buffers that are attached, and no component that can be replaced.
    assert sorted(missing) == sorted([
        "is a component with more than 16 channels", "must leave at most 1023 threads on its CPU",
        "must be in one of at most 64 resources, including parts of PCI functions",
        "must be a buffer of this size of another component on the same CPU", "must not be attached twice",
        "must be rtf0 to rtf63 for a FIFO", "must be the name of the buffer that it attaches",
        "must have the place, size and rights of its part for updates"])
