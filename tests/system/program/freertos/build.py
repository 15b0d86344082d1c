# SPDX-License-Identifier: GPL-2.0
"""Builds FreeRTOS's demo, and two tasks on FreeRTOS's own POSIX port, from the public archive."""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness.public import unpacked       # noqa: E402

DEMO = TOP / "lib/freertos/demo"
#: Systems, the system files and components that they are made from, and the number of the demo's checks. The demo checks
#: its tasks each 10,000 ticks, which are 10 s, so that 360 checks are an hour. Each guest has both lengths, because
#: `make test-all` has full counts on some kernels only.
SYSTEMS = {"freertos": ("freertos.toml", "freertos-demo", 1), "freertos-long": ("freertos.toml", "freertos-demo", 360),
           "freertos-posix": ("freertos-posix.toml", "freertos-posix", 0)}
#: Arguments of the last component of the demo's system file, which is the demo.
ARGUMENTS = "args = {{ tick-us = 1000, checks = {checks} }}\n"


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
    for name, (system, component, checks) in SYSTEMS.items():
        arguments = ARGUMENTS.format(checks=checks) if checks else ""
        (work / f"{name}.toml").write_text((DEMO / system).read_text() + arguments)
        (folder / f"{name}.checks").write_text(f"{checks}\n")
        run("limpet-component", DEMO / component, "-o", work / f"{component}.o", "--runtime", TOP / "build/lib",
            "--packages", work)
        run("limpet-compose", work / f"{name}.toml", "-o", folder / f"{name}.limpet", "--components",
            TOP / "components", "--components", DEMO, "--objects", TOP / "build/components", "--objects", work)


def run(tool: str, *words) -> None:
    """Runs one of Limpet's tools."""
    subprocess.run([TOP / "tools" / tool, *words], check=True)


if __name__ == "__main__":
    build(TOP / "build/system/program/freertos")
