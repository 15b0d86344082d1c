# SPDX-License-Identifier: GPL-2.0
"""Skips the tests that boot a whole Debian, unless `make test-all` runs."""

import os

collect_ignore = [] if os.environ.get("LIMPET_LONG") else ["test_debian.py"]
