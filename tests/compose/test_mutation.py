# SPDX-License-Identifier: BSD-2-Clause
"""Good TOML files with random changes: accepted, or refused with one line for each mistake; never a traceback."""

import random
import shutil
import string

import pytest
import support

TREE = support.TREE
WORDS = ["true", "-1", "0", "99999999999999999999", '""', '"x"', "[]", "{}", "1.5", "[[]]", "nan",
         "1979-05-27", '"a\\nb"', '"\\u0000"', "[[component]]", "[system]", "=", "'''", '"64K"']


def mutate(text, dice):
    """Changes one to three places: a character, a token, or a line."""
    for _ in range(dice.randint(1, 3)):
        lines = text.split("\n")
        at = dice.randrange(len(lines))
        kind = dice.randrange(5)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[dice.randrange(len(lines))])
        elif kind == 2 and "=" in lines[at]:
            lines[at] = lines[at].split("=")[0] + "= " + dice.choice(WORDS)
        elif kind == 3 and lines[at]:
            place = dice.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + dice.choice(string.printable) + lines[at][place + 1:]
        else:
            tokens = lines[at].split(" ")
            tokens[dice.randrange(len(tokens))] = dice.choice(WORDS)
            lines[at] = " ".join(tokens)
        text = "\n".join(lines)
    return text


def refused_or_good(result):
    if result.returncode:
        support.refused_lines(result)


@pytest.mark.parametrize("seed", range(4))
def test_systems(built, tmp_path, seed):
    good, dice = (TREE / "systems" / "full.toml").read_text(), random.Random(seed)
    good = good.replace('"../ramdisk"', f'"{TREE}/ramdisk"')
    path = tmp_path / "bad.toml"
    for _ in range(60):
        path.write_text(mutate(good, dice))
        refused_or_good(support.compose(path, "--objects", "/nonexistent"))


@pytest.mark.parametrize("name", ["client", "vector"])
def test_components(tmp_path, name):
    dice, folder = random.Random(name), tmp_path / name
    shutil.copytree(TREE / "components" / name, folder)
    good = (folder / "component.toml").read_text()
    for _ in range(150):
        (folder / "component.toml").write_text(mutate(good, dice))
        refused_or_good(support.component(folder, "-o", tmp_path / "out.o", "--interfaces",
                                          TREE / "interfaces", "--stubs-only"))


def test_interfaces(tmp_path):
    dice, folder = random.Random(7), tmp_path / "echo"
    shutil.copytree(TREE / "interfaces" / "echo", folder)
    good = (folder / "interface.toml").read_text()
    for _ in range(300):
        (folder / "interface.toml").write_text(mutate(good, dice))
        outputs = [word for name in ("client", "server", "header", "page")
                   for word in (f"--{name}", tmp_path / f"out.{name}")]
        refused_or_good(support.interface(folder / "interface.toml", *outputs))
