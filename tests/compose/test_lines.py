# SPDX-License-Identifier: BSD-2-Clause
"""Tests the lines of tables and keys, which messages name."""

import time

import pytest
import support  # noqa: F401

from tools.compose import lines, table

TEXT = '''# [no.table]

[system]      # "quoted
name = "a[b" # ]
frames = """
[component] "quoted" \\"""
x = 1""""
other = \'\'\'
y = 2 \\\'\'\'\'\'
list = [ # [
  "]", \'[\',
  { a = 1, b = "}" },
]

[[component]]
name = "one"
[component.args]
  "a#b" = 1
empty = ""
raw = \'"\'
[[component]]
last.part = { deep = [1, 2] }
'''


def test_lines():
    top = lines.find(TEXT)
    system, components = top.key("system"), top.key("component")
    assert system.line == 3
    assert {name: place.line for name, place in system.keys.items()} == {"name": 4, "frames": 5, "other": 8, "list": 10}
    one, two = components.item(0), components.item(1)
    assert (one.line, one.key("name").line, one.key("args").line) == (15, 16, 17)
    assert {name: place.line for name, place in one.key("args").keys.items()} == {"a#b": 18, "empty": 19, "raw": 20}
    assert (two.line, two.key("last").key("part").key("deep").line) == (21, 22)


@pytest.mark.parametrize("row, end", [('  "a",', "]"), ("text", '"""')])
def test_a_long_value_is_read_quickly(tmp_path, row, end):
    path = tmp_path / "long.toml"
    path.write_text(f"first = 1\nlong = {'[' if end == ']' else end}\n" + f"{row}\n" * 5000 + f"{end}\nlast = 2\n")
    before = time.process_time()
    top = table.load(path)
    assert time.process_time() - before < 2
    assert (top.line("first"), top.line("long"), top.line("last")) == (1, 2, 5004)
