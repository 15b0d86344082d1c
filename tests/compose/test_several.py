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
                     16: ["component.client/quota"], 20: ["component.client/args/rounds"],
                     21: ["component.client/args/roundz"]}
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

[[component]]
name = "client"
image = "client"
priority = 3
imports = { echo = "server", other = "server" }
""")
    assert list(found) == [8]


def test_a_missing_table_is_asked_for_as_a_table(tmp_path):
    path = tmp_path / "none.toml"
    path.write_text('[[component]]\nname = "a"\nimage = "client"\n')
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
    assert list(found) == [6]


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
    assert found == {2: [("system", "'system' is of type integer. It must be a table. Write a table [system].")]}
    found = mistakes(tmp_path, 'component = 4\n' + HEAD.replace('"1M"', "1"))
    assert {line: entries[0][1] for line, entries in found.items()} == {
        1: "'component' is of type integer. It must be a list. Write tables [[component]].",
        4: "'frames' is of type integer. It must be a text. Write frames = \"64K\"."}
