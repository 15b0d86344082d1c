# SPDX-License-Identifier: BSD-2-Clause
"""The folder with Limpet's components, interfaces and libraries: that of these tools, or $LIMPET_SDK.

Limpet's tree and the installed kit have the same folders.
"""

import os
from pathlib import Path

ROOT = Path(os.environ.get("LIMPET_SDK") or Path(__file__).resolve().parents[2])
