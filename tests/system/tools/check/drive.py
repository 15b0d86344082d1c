# SPDX-License-Identifier: GPL-2.0
"""Checks the page of `limpet report` in a browser, and the Grafana dashboard against the metrics of a real system."""

import base64
import gzip
import json
import tempfile
from pathlib import Path

from tests.harness.browser import page_check
from tests.harness.dashboard import dashboard_check

DASHBOARD = Path(__file__).parents[4] / "packaging/grafana/limpet.json"


def received(guest, what: str) -> bytes:
    """Returns a file that the guest sends as records."""
    def parts() -> list[str]:
        return [record["figure"][what] for record in guest.records if what in record.get("figure", ())]

    assert guest.wait(lambda: "whole" in parts()), f"the guest did not send {what}"
    return gzip.decompress(base64.b64decode("".join(parts()[:-1])))


def drive(guest):
    """Checks the page of a system with one periodic thread: its three pictures and the wiring."""
    page = received(guest, "page")
    assert b"checked, thread 2: not real-time." in page and b"The thread itself ran for" in page
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_bytes(page)
        page_check(Path(folder) / "page.html", pictures=4)
    dashboard_check(json.loads(DASHBOARD.read_text()), received(guest, "metrics").decode())
