# SPDX-License-Identifier: GPL-2.0
"""Composes a system whose image is almost as large as an image can be."""

import struct
from pathlib import Path

from tests.harness.composed import SCHED_AND_LOG, compose

PAGE = 4096
PARTS = 34                          # components with 16 MiB of data each
FILES, FILE_PAGES = 4, 110 * 256    # files of the ramdisk, and their pages: 110 MiB each

HEAD = """
[system]
name    = "large"
frames  = "640M"
ramdisk = "files"
""" + SCHED_AND_LOG
PART = """
[[component]]
name    = "part{number}"
image   = "large.part"
imports = {{ log = "log" }}
args    = {{ ramdisk = {ramdisk} }}
"""


def build(folder: Path) -> None:
    """Writes the image into a folder. Each page of the ramdisk's files starts with its number."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    for number in range(FILES):
        with (folder / f"files/{number}").open("wb") as file:
            for page in range(FILE_PAGES):
                file.write(struct.pack("<Q", page).ljust(PAGE, b"\xa5"))
    parts = "".join(PART.format(number=number, ramdisk=int(number == PARTS - 1)) for number in range(PARTS))
    compose(HEAD + parts, folder, "large", Path(__file__).parent)
    for number in range(FILES):
        (folder / f"files/{number}").unlink()
