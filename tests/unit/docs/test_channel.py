# SPDX-License-Identifier: GPL-2.0
"""Compiles the examples of docs/reference/channel.md. A property runs the example about stopping."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/channel.md").read_text()
#: The component of the property channel-stop.
PARK = ROOT / "tests/system/channel/channel-stop/stop-park/park.c"


def example(heading: str) -> str:
    """Returns the C code of a section."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S).group(1)
    return re.search(r"^```c\n(.*?)^```", section, re.M | re.S).group(1)


def test_example_of_the_stop_is_the_code_of_the_property():
    license_line, code = PARK.read_text().split("\n", 1)
    assert license_line.startswith("// SPDX-License-Identifier:")
    assert example("Orderly stop") == code


def test_example_of_a_component_can_be_built(tmp_path):
    folder = tmp_path / "echo"
    folder.mkdir()
    (folder / "component.toml").write_text('[component]\nname = "echo"\ndoc = "Answers messages."\nthread = true\n')
    (folder / "echo.c").write_text(example("In a component"))
    result = subprocess.run([ROOT / "tools/limpet-component", folder, "-o", tmp_path / "echo.o"], cwd=ROOT,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
