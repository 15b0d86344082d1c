# SPDX-License-Identifier: BSD-2-Clause
"""A system in which the number of ways from one component to another doubles with each layer."""

import subprocess

import support

LAYERS = 30
LAYER = """[component]
name = "layer"
doc = "For a refusal."
optional = ["one", "two", "three", "four"]
[exports]
interfaces = ["echo", "faults"]
[imports]
one = "echo"
two = "echo"
three = "faults"
four = "faults"
"""
HEAD = """[system]
name = "ways"
frames = "16M"

[[component]]
name = "sched"
image = "sched.mini"

[[component]]
name = "last"
image = "layer"
faults = "a0"
"""
PART = """
[[component]]
name = "{side}{n}"
image = "layer"
imports = {{ {imports} }}
"""


def test_all_ways_are_not_tried(built, tmp_path):
    """The composer ends, with the complaint that the components are not built."""
    (tmp_path / "in/layer").mkdir(parents=True)
    (tmp_path / "in/layer/component.toml").write_text(LAYER)
    ways = "one = \"a{n}\", two = \"b{n}\", three = \"a{n}\", four = \"b{n}\""
    (tmp_path / "ways.toml").write_text(HEAD + "".join(
        PART.format(side=side, n=n, imports=ways.format(n=n + 1) if n + 1 < LAYERS else "")
        for n in range(LAYERS) for side in "ab"))
    words = [support.ROOT / "tools/limpet-compose", tmp_path / "ways.toml", "--components", tmp_path / "in", *support.FOLDERS,
             "--objects", built / "components", "-o", tmp_path / "out"]
    done = subprocess.run(words, text=True, capture_output=True, check=False, timeout=20)
    assert done.returncode == 1 and "There is no layer.o in" in done.stderr, done.stderr
