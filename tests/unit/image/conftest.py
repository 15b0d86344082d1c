# SPDX-License-Identifier: BSD-2-Clause
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "compose"))
sys.path.insert(0, str(Path(__file__).parent))

import support  # noqa: E402


@pytest.fixture(scope="session")
def built():
    """Builds the components of tests/compose/tree and the image checker."""
    support.build()
    return support.BUILD
