# SPDX-License-Identifier: GPL-2.0
"""Builds the modules of this folder with `limpet-rtlinux`, as its users do."""

import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).parents[4]


def build(folder: Path) -> None:
    """Builds each module into a system."""
    folder.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "classic", "-o", folder / "classic.limpet", "-p", "rounds=5",
                    "-p", "name=five", "--remove-after-ms", "400"], check=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "pipes", "-o", folder / "pipes.limpet", "--mbuff", "The_Area=4K"],
                   check=True)
    requests = here / "requests"
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", requests / "requests.c", "-o", folder / "requests.limpet"], check=True)
    subprocess.run(["musl-gcc", "-static", "-Wall", "-Wextra", "-Werror", "-O2", f"-I{TOP}/cli/client/rtlinux", f"-I{TOP}/include",
                    requests / "partner.c", "-o", folder / "partner"], check=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "interface/interface.c", "-o", folder / "interface.limpet", "-p", "list=5,6",
                    "-p", "small=-8", "-p", "wide=90000000000", "--remove-after-ms", "300", "--threads", "62"], check=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "older", "-o", folder / "older.limpet", "-p", "name=seven..",
                    "-p", "file=/a/b", "-p", "small=200", "-p", "step=3", "--remove-after-ms", "300"], check=True)
    subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "errors", "-o", folder / "errors.limpet", "--fifos", "0+8",
                    "--mbuff", "area=4K", "--remove-after-ms", "100"], check=True)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([TOP / "tools/limpet-rtlinux", "build", here / "alone/alone.c", "-o", Path(work) / "alone.limpet",
                        "--threads", "1", "--component", work], check=True)
        subprocess.run([TOP / "tools/limpet-compose", here / "alone/alone.toml", "-o", folder / "alone.limpet",
                        "--components", TOP / "components", "--components", work, "--interfaces", TOP / "interfaces",
                        "--objects", TOP / "build/components", "--objects", work], check=True)
