# SPDX-License-Identifier: GPL-2.0
"""Builds the test's master with SOEM, whose C sources are in the source distribution of pysoem."""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness.sdists import fetch      # noqa: E402

#: Files of SOEM that a master needs, with Linux's raw sockets.
SOURCES = ("soem/osal/linux/osal.c", "soem/oshw/linux/oshw.c", "soem/oshw/linux/nicdrv.c", "src/soem/soem_config.c",
           *(f"soem/soem/ethercat{part}.c" for part in ("base", "coe", "config", "dc", "main", "soe")))
FOLDERS = ("soem/osal", "soem/osal/linux", "soem/oshw/linux", "soem/soem", "src/soem")


def build(folder: Path) -> None:
    """Builds program `master` into a folder. Raises RuntimeError if the sources cannot be had."""
    tree = fetch("pysoem")
    source, program = Path(__file__).with_name("soem") / "master.c", folder / "master"
    folder.mkdir(parents=True, exist_ok=True)
    newest = max(file.stat().st_mtime for file in (source, Path(__file__)))
    if program.exists() and program.stat().st_mtime > newest:
        return
    # pysoem's setup.py defines the same two macros. The warnings of SOEM's files are not Limpet's.
    subprocess.run(["gcc", "-static", "-O2", "-w", "-pthread", "-DEC_VER2", "-DUSE_SOEM_CONFIG_H",
                    *(f"-I{tree / name}" for name in FOLDERS), "-o", f"{program}.part", source,
                    *(tree / name for name in SOURCES)], check=True)
    Path(f"{program}.part").rename(program)


if __name__ == "__main__":
    build(TOP / "build/system/network/ethercat-soem")
