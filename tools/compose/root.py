# SPDX-License-Identifier: BSD-2-Clause
"""Finds the folder with Limpet's components, interfaces and libraries.

It is $LIMPET_SDK if that is set, or else the folder that contains these tools. Limpet's tree and the installed kit have
the same layout.
"""

import os
from pathlib import Path

ROOT = Path(os.environ.get("LIMPET_SDK") or Path(__file__).resolve().parents[2])
