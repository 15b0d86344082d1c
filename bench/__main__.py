# SPDX-License-Identifier: GPL-2.0
"""python3 -m bench: see bench.run."""

import sys

from .run import main

sys.exit(main(sys.argv[1:]))
