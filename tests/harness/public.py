# SPDX-License-Identifier: GPL-2.0
"""Public test suites: archives of others' sources that are not in this tree.

They are in the folder that LIMPET_SUITES names, by default ../shared/suites beside the checkout. A test whose archive is
not there is skipped, and the summary names the archive.
"""

import os
from pathlib import Path

TOP = Path(__file__).parents[2]


class Missing(Exception):
    """The archive of a suite is not there."""


def archive(name: str) -> Path:
    """Returns the archive NAME.tar.xz of a suite."""
    folder = Path(os.environ.get("LIMPET_SUITES") or TOP.parent / "shared/suites")
    file = folder / f"{name}.tar.xz"
    if not file.is_file():
        raise Missing(f"{file} is not there: LIMPET_SUITES names the folder that has it")
    return file
