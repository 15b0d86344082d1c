# SPDX-License-Identifier: BSD-2-Clause
"""Builds a component, an interface and a system outside the tree, as components/README.md describes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

BUILT = re.compile(r"^(component|system) (\w+)$", re.M)
TREE = Path(__file__).resolve().parents[3]

INTERFACE = """\
[interface]
name    = "adder"
version = 1
doc     = "Adds."

[[function]]
name    = "add"
doc     = "Adds two words."
args    = [{ name = "a", doc = "one" }, { name = "b", doc = "the other" }]
results = [{ name = "sum", doc = "a + b" }]
"""
SERVER = """\
[component]
name = "adder"
doc  = "Adds."
[exports]
interfaces = ["adder"]
"""
SERVER_CODE = """\
#include <export/adder.h>
long adder_serve_add(word badge, word a, word b, struct adder_add_results *out)
{
	(void)badge;
	out->sum = a + b;
	return 0;
}
"""
SYSTEM = """\
[system]
name   = "outside"
frames = "4M"
[[component]]
name  = "sched"
image = "sched.fixed-priority"
[[component]]
name  = "log"
image = "log"
[[component]]
name  = "adder"
image = "adder"
[[component]]
name    = "mine"
image   = "mine"
imports = { log = "log", sched = "sched", sum = "adder" }
args    = { greeting = "good day", count = 3 }
"""


def folder_make(path):
    """Copies the template under another name, with one more import, and a server for it."""
    shutil.copytree(TREE / "components/template", path / "mine")
    toml = path / "mine/component.toml"
    text = toml.read_text().replace('"template"', '"mine"')
    toml.write_text(text.replace('sched = "sched"', 'sched = "sched"\nsum   = "adder"'))
    code = path / "mine/template.c"
    code.write_text(code.read_text() + "\n#include <import/sum.h>\nword mine_add(void);\n"
                    "word mine_add(void)\n{\n\tword sum;\n\n\tsum_add(1, 2, &sum);\n"
                    "\treturn sum;\n}\n")
    for name, content in (("adder/component.toml", SERVER), ("adder/adder.c", SERVER_CODE),
                          ("interfaces/adder/interface.toml", INTERFACE),
                          ("outside.toml", SYSTEM),
                          ("Makefile", f"LIMPET := {TREE}\n"
                           "include $(LIMPET)/components/limpet-component.mk\n")):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)


def make(path, *words):
    return subprocess.run(["make", "-C", path, *words], capture_output=True, text=True,
                          check=False)


@pytest.fixture(name="outside", scope="module")
def _outside(tmp_path_factory):
    path = tmp_path_factory.mktemp("outside")
    folder_make(path)
    return path


def test_builds(outside):
    done = make(outside)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (outside / "build/outside.limpet").stat().st_size % 4096 == 0
    report = (outside / "build/outside.txt").read_text()
    assert re.search(r"mine", report) and re.search(r"adder", report)


def test_builds_once(outside):
    make(outside)
    assert not BUILT.findall(make(outside).stdout)
    (outside / "adder/adder.c").touch()
    assert BUILT.findall(make(outside).stdout) == [("component", "adder"), ("system", "outside")]


def test_needs_the_tree(tmp_path):
    (tmp_path / "Makefile").write_text(f"include {TREE}/components/limpet-component.mk\n")
    done = make(tmp_path)
    assert done.returncode and "LIMPET is not set" in done.stderr


def test_readme_names_all_components():
    text = (TREE / "components/README.md").read_text()
    paths = [*TREE.glob("components/*/component.toml"), *TREE.glob("components/*/*/component.toml")]
    assert len(paths) > 40
    for path in paths:
        assert f"`{path.parent.name}`" in text
