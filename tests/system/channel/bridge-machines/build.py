# SPDX-License-Identifier: GPL-2.0
"""Builds the program of the other machine from the property bridge."""

import runpy
from pathlib import Path

build = runpy.run_path(str(Path(__file__).parents[1] / "bridge/build.py"))["build"]
