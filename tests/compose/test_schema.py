# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the JSON Schema accepts the system files of the tree, and refuses the corpus's mistakes about one key."""

import re
import tomllib

import jsonschema
import pytest
import support

from tools.compose import schema

BAD = support.ROOT / "tests/compose/bad"
#: Messages about one key of a table.
OF_A_KEY = re.compile(r"unknown|is missing|is of type|must be|is no (name|size|permission|range|interrupt|PCI)|"
                      r"is not one of|is out of range|characters|is empty")
#: Mistakes with such messages that the schema cannot find: they depend on other keys, on components or on a size's value.
OF_MORE = """any-functions-missing arg-integer-text arg-range arg-text-integer bridge-topic-long cpu-outside
    import-table priority-missing scheduler-no-thread scheduler-two-asked channel-name-interface channel-size-large
    channel-size-shared-large channel-size-small frames-huge frames-zero quota-large trace-large memory-outside
    ports-outside""".split()


@pytest.fixture(scope="module")
def made():
    found = schema.schema()
    jsonschema.Draft7Validator.check_schema(found)
    return found


@pytest.fixture(scope="module")
def validator(made):
    return jsonschema.Draft7Validator(made)


def parsed(path):
    """Returns the content of a TOML file, or None if it is not valid TOML."""
    try:
        return tomllib.loads(path.read_bytes().decode())
    except (ValueError, RecursionError):
        return None


def system_files():
    paths = [*support.ROOT.glob("systems/*.toml"), *support.TREE.glob("systems/*.toml"),
             *support.ROOT.glob("tests/system/**/*.toml")]
    return {path: data for path in paths if (data := parsed(path)) and isinstance(data.get("component"), list)}


def test_accepts_every_system_file(validator):
    files = system_files()
    assert len(files) > 100
    assert [f"{path.relative_to(support.ROOT)}: {error.message}" for path, data in files.items()
            for error in validator.iter_errors(data)] == []


def test_finds_the_mistakes_of_a_key(validator):
    """The schema refuses each file of the corpus whose mistake is about one key."""
    expected = {path.stem.removeprefix("system-"): path.read_bytes().split(b"\n", 1)[0].decode()
                for path in BAD.glob("system-*.toml") if parsed(path) is not None}
    missed = {name for name in expected if validator.is_valid(parsed(BAD / f"system-{name}.toml"))}
    of_a_key = {name for name, line in expected.items() if OF_A_KEY.search(line)}
    assert of_a_key & missed == set(OF_MORE)
    assert len(of_a_key - missed) > 50


def test_reference_has_the_same_keys(made):
    """The schema and the reference have the same keys, and each key has a description."""
    known = schema.meanings(schema.PAGE.read_text())
    keys = {f"{kind}/{key}": entry for kind, of in made["properties"].items()
            for key, entry in (of.get("items") or of)["properties"].items()}
    assert set(keys) == set(known) and len(keys) > 40
    assert [path for path, entry in keys.items() if not entry["description"]] == []


@pytest.mark.parametrize("text, path", [
    ('cpus = 65', ["system", "cpus"]),
    ('frame = "1M"', ["system"]),
    ('trace = 4', ["system", "trace"]),
    ('[[component]]\nname = "a"', ["component", 0]),
    ('[[component]]\nname = "a"\nimage = "b"\nrestart = "checkpiont"', ["component", 0, "restart"]),
    ('[[component]]\nname = "a"\nimage = "b"\npci = ["3.0"]', ["component", 0, "pci", 0]),
    ('[[component]]\nname = "a"\nimage = "b"\nimports = { x = { component = "c" } }', ["component", 0, "imports", "x"]),
    ('[[fifo]]\nnumber = 64\nowner = "a"', ["fifo", 0, "number"]),
])
def test_names_the_place(validator, text, path):
    data = tomllib.loads(f'[system]\nname = "a"\nframes = "1M"\n{text}')
    assert [list(error.absolute_path) for error in validator.iter_errors(data)] == [path]
