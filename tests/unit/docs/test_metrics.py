# SPDX-License-Identifier: GPL-2.0
"""Tests that docs/reference/metrics.md names exactly the printed metrics, and that its queries use only these."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/reference/metrics.md").read_text()
PRINTED = set(re.findall(r'"(limpet_\w+)"', (ROOT / "cli/common/prometheus.c").read_text()))


def test_every_metric_has_its_row_in_order():
    rows = re.findall(r"^\| `(limpet_\w+)` \|", PAGE, re.M)
    assert len(rows) == len(set(rows)) and set(rows) == PRINTED


def test_queries_name_metrics_that_there_are():
    """Samples of a histogram have a suffix."""
    samples = {f"{name}_{part}" for name in PRINTED if name.startswith("limpet_job_") for part in ("bucket", "sum", "count")}
    assert set(re.findall(r"limpet_\w+", PAGE)) <= PRINTED | samples
