# SPDX-License-Identifier: GPL-2.0
"""Public test suites: third-party archives that are not in this tree.

They are in the folder that LIMPET_SUITES names, by default ../shared/suites next to the checkout. A test whose
archive is missing is skipped, and the summary names the archive.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from .cache import cache_dir, locked

TOP = Path(__file__).parents[2]


class Missing(Exception):
    """The archive of a suite is missing."""


def archive(name: str) -> Path:
    """Returns the archive NAME.tar.xz of a suite."""
    folder = Path(os.environ.get("LIMPET_SUITES") or TOP.parent / "shared/suites")
    file = folder / f"{name}.tar.xz"
    if not file.is_file():
        raise Missing(f"{file} is not there: LIMPET_SUITES names the folder that has it")
    return file


def extract(file: Path, folder: Path) -> None:
    """Extracts an archive into a folder, which is made. GNU tar refuses members outside of it."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "--extract", f"--file={file}", f"--directory={folder}", "--no-same-owner"], check=True)


def unpacked(name: str) -> Path:
    """Unpacks a suite's archive into the cache, and returns its folder NAME."""
    file = archive(name)
    tree = cache_dir() / f"{name}-{hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"
    with locked(name):
        if not tree.exists():
            part = tree.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            extract(file, part)
            (part / name).rename(tree)
            part.rmdir()
    return tree
