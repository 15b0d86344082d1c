# SPDX-License-Identifier: BSD-2-Clause
"""lib/executive is linked into components that call it, and into no others."""

import pytest
import support

from tools.compose import link

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
