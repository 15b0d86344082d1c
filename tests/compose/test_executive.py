# SPDX-License-Identifier: BSD-2-Clause
"""lib/executive is linked into components that call it, and into no others."""

import json

import pytest
import support

from tools.compose import link
from tools.compose.contract import IMAGE, VALUES

TOML = '[component]\nname = "{name}"\ndoc = "A test."\nthread = true\npriority = 5\nthreads = 2\n' \
       '[imports]\nsched = "sched"\n'
MAIN = "#include <executive/executive.h>\n#include <runtime/component.h>\n" \
       "void component_main(const struct limpet_info *info) { (void)info; %s }\n"
EVENT = "struct executive_answer executive_event(word e, word a, word b, word c, word d, word f, word g)\n" \
        "{ return executive_served((long)(e + a + b + c + d + f + g)); }\n"


def symbols(folder, code):
    """Builds a component of one file; returns the names that it defines and those that it lacks."""
    name = folder.name
    (folder / "component.toml").write_text(TOML.format(name=name))
    (folder / "main.c").write_text(code)
    made = folder.parent / f"{name}.o"
    result = support.component(folder, "-o", made)
    assert result.returncode == 0, result.stderr
    defined, undefined = link.symbols_of(made)
    return set(defined), set(undefined)


@pytest.fixture
def folder(built, tmp_path):
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


def test_executive(folder):
    defined, undefined = symbols(folder, MAIN % "executive_serve(0);" + EVENT)
    assert {"executive_serve", "executive_entry", "executive_event"} <= defined
    assert all(name.startswith("__limpet_import_") or name in link.LINKER for name in undefined), undefined


def test_executive_without_handler(folder):
    """The composer then says that executive_event is not defined."""
    assert "executive_event" in symbols(folder, MAIN % "executive_serve(0);")[1]


def test_other_component(folder):
    defined, _ = symbols(folder, MAIN % "")
    assert not any(name.startswith("executive_") for name in defined)


SYSTEM = '[system]\nname = "chain"\nframes = "16M"\n[[component]]\nname = "sched"\nimage = "sched.mini"\n'


@pytest.mark.parametrize("value, wanted", [(None, False), ("wait", False), ("continue", True)])
def test_guests_of_an_executive(built, tmp_path, value, wanted):
    """The image has a flag if guests continue without their executive."""
    key = f'guests = "{value}"\n' if value else ""
    (tmp_path / "open.toml").write_text(f'{SYSTEM}[[component]]\nname = "a"\nimage = "watch"\n{key}')
    result = support.compose(tmp_path / "open.toml", "-o", tmp_path / "open.limpet")
    assert result.returncode == 0, result.stderr
    data, record = (tmp_path / "open.limpet").read_bytes(), IMAGE["limpet_image_component"]
    header = IMAGE["limpet_image"].unpack(data)
    flags = [record.unpack(data, header["components_at"] + i * record.size)["flags"] for i in range(header["components"])]
    assert [bool(f & VALUES["LIMPET_COMPONENT_GUESTS_OPEN"]) for f in flags] == [False, False, wanted]
    assert support.run(support.BUILD / "tools" / "image-check", tmp_path / "open.limpet").returncode == 0


def chain_of(tmp_path, names, *more):
    """Composes a system of executives, each of which passes its guests to the one after it; returns its description."""
    text = SYSTEM
    for name, after in zip(names, [*names[1:], None]):
        text += f'[[component]]\nname = "{name}"\nimage = "watch"\n' + \
            (f'imports = {{ guest = "{after}" }}\n' if after else "")
    (tmp_path / "chain.toml").write_text(text)
    result = support.compose(tmp_path / "chain.toml", "-o", tmp_path / "chain.limpet", "--json", *more)
    assert result.returncode == 0, result.stderr
    return {c["name"]: c for c in json.loads(result.stdout)["components"]}


@pytest.mark.parametrize("names", ["a", "ab", "ba", "abc", "dcab"])
def test_chain(built, tmp_path, names):
    """The image has for each executive the one that is next, which is before it."""
    found = chain_of(tmp_path, names, "--report", tmp_path / "report.txt", "--svg", tmp_path / "picture.svg")
    data = (tmp_path / "chain.limpet").read_bytes()
    at = IMAGE["limpet_image"].unpack(data)["components_at"]
    record = IMAGE["limpet_image_component"]
    for name, after in zip(names, [*names[1:], None]):
        index = found[name]["index"]
        assert found[name]["guest"] == after
        assert record.unpack(data, at + index * record.size)["guest"] == (found[after]["index"] if after else 0)
        assert not after or found[after]["index"] < index
    checked = support.run(support.BUILD / "tools" / "image-check", tmp_path / "chain.limpet")
    assert checked.returncode == 0, checked.stderr
    report = (tmp_path / "report.txt").read_text()
    assert ("passes guests to" in report) == (len(names) > 1)
    assert (tmp_path / "picture.svg").read_text().count("&#45;&gt;") >= len(names) - 1
