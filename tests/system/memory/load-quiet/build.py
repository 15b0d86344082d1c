# SPDX-License-Identifier: GPL-2.0
"""Composes a system with an image of a few MiB."""

from pathlib import Path

from tests.harness.composed import SCHED_AND_LOG, compose

SIZE = 24 << 20

HEAD = """
[system]
name    = "large"
frames  = "4M"
ramdisk = "files"
"""


def build(folder: Path) -> None:
    """Writes the image into a folder."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    file = folder / "files/data"
    file.write_bytes(b"\xa5" * SIZE)
    compose(HEAD + SCHED_AND_LOG, folder, "large")
    file.unlink()
