# SPDX-License-Identifier: GPL-2.0
"""Builds FreeRTOS's demo, and two tasks on FreeRTOS's own POSIX port, from the public archive."""

import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness.public import unpacked       # noqa: E402

DEMO = TOP / "lib/freertos/demo"
#: Systems and their components.
SYSTEMS = {"freertos": "freertos-demo", "freertos-posix": "freertos-posix"}
#: Arguments of the last component of the demo's system file, which is the demo.
ARGUMENTS = "args = {{ tick-us = 100, checks = {checks} }}\n"
#: Number of checks in a short and in a long run. The demo checks its tasks each 10,000 ticks. 360 checks are an hour by
#: FreeRTOS's clock, and six minutes with ticks of 100 us.
CHECKS = (1, 360)


def build(folder: Path) -> None:
    """Builds both systems into a folder. Raises tests.harness.public.Missing without the archive."""
    tree = unpacked("freertos")
    work = folder.parent / f"{folder.name}.work"
    for made in (folder, work / "freertos"):
        made.mkdir(parents=True, exist_ok=True)
    for name, target in (("kernel", "kernel"), ("demo", "demo/FreeRTOS/Demo")):
        link = work / "freertos" / name
        link.unlink(missing_ok=True)
        link.symlink_to(tree / target)
    checks = CHECKS[bool(os.environ.get("LIMPET_LONG"))]
    (folder / "checks").write_text(f"{checks}\n")
    for name, component in SYSTEMS.items():
        arguments = ARGUMENTS.format(checks=checks) if name == "freertos" else ""
        (work / f"{name}.toml").write_text((DEMO / f"{name}.toml").read_text() + arguments)
        run("limpet-component", DEMO / component, "-o", work / f"{component}.o", "--runtime", TOP / "build/lib",
            "--packages", work)
        run("limpet-compose", work / f"{name}.toml", "-o", folder / f"{name}.limpet", "--components",
            TOP / "components", "--components", DEMO, "--objects", TOP / "build/components", "--objects", work)


def run(tool: str, *words) -> None:
    """Runs one of Limpet's tools."""
    subprocess.run([TOP / "tools" / tool, *words], check=True)


if __name__ == "__main__":
    build(TOP / "build/system/program/freertos")
