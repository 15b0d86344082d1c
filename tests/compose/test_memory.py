# SPDX-License-Identifier: BSD-2-Clause
"""Tests that the composer and the kernel's checker agree about the memory and the symbols of a system."""

import re
import types

import pytest
import support

from tools.compose import errors, image

COMPONENT = '[component]\nname = "large"\ndoc = "A test."\n[exports]\ninterfaces = ["echo"]\n[imports]\nclock = "clock"\n'
CONSTANTS = "extern const char large[4 << 20];\nconst char large[4 << 20] = { 1 };\n"
SYSTEM = """\
[system]
name = "constants"
frames = "{frames}"
[[component]]
name = "sched"
image = "sched.mini"
"""
LARGE = """\
[[component]]
name = "large{n}"
image = "large"
imports = {{ clock = "sched" }}
"""


def test_constants_need_no_frames(built, tmp_path):
    """Read-only pages are mapped from the image, so the checker accepts the least frames that the composer accepts."""
    folder, path, out = tmp_path / "in" / "large", tmp_path / "constants.toml", tmp_path / "out.limpet"
    folder.mkdir(parents=True)
    (folder / "component.toml").write_text(COMPONENT)
    (folder / "large.c").write_text((support.TREE / "components/server/server.c").read_text() + CONSTANTS)
    made = support.component(folder, "-o", tmp_path / "large.o", "--interfaces", support.TREE / "interfaces")
    assert made.returncode == 0, made.stderr

    def compose(frames):
        path.write_text(SYSTEM.format(frames=frames) + "".join(LARGE.format(n=n) for n in range(3)))
        return support.compose(path, "--components", folder.parent, "--objects", tmp_path, "--objects",
                               support.BUILD / "components", "-o", out)

    least = re.search(r"Write at least (\w+),", support.only_line(compose("4K")))[1]
    assert least in ("1M", "2M")
    assert compose(least).returncode == 0
    result = support.run(built / "tools/image-check", out)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("kind", ["functions", "unwinds"])
def test_symbols_are_counted(kind, monkeypatch):
    monkeypatch.setitem(image.VALUES, "LIMPET_SYMBOLS_MAX", 5)
    instances = [types.SimpleNamespace(layout=types.SimpleNamespace(**{"functions": [], "unwinds": [], kind: [0] * count}))
                 for count in (3, 2)]
    system = types.SimpleNamespace(file="many.toml", instances=instances)
    image.check_symbols(system)
    instances[1].layout.__dict__[kind].append(0)
    with pytest.raises(errors.Refused, match="has 6 .* At most 5"):
        image.check_symbols(system)
