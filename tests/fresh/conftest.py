# SPDX-License-Identifier: GPL-2.0
"""Leaves the tests that boot a whole Debian to `make test-all`."""

import os

collect_ignore = [] if os.environ.get("LIMPET_LONG") else ["test_debian.py"]
