# SPDX-License-Identifier: GPL-2.0
"""Builds the programs of expected/programs.toml, and those of message queues with the creator of their queue."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4]))

from tests.system.lib.rtlinux_public import build_listed, build_queues    # noqa: E402


def build(folder: Path) -> None:
    """Builds everything into a folder. Raises tests.harness.public.Missing without the archive."""
    build_listed(Path(__file__).parent / "expected/programs.toml", folder)
    build_queues(Path(__file__).parent / "queues", folder)
