# SPDX-License-Identifier: BSD-2-Clause
"""Settings of Sphinx for `make docs`.

The source folder is the top of the tree, so that pages can link to any of its files. docs/index.md lists the pages. A
page that it does not list is a mistake, which fails the build.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import generated  # noqa: E402

project = "Limpet"
html_title = "Limpet"
root_doc = "docs/index"
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/**.md", "bench/*.md", "components/*.md", "tests/harness/*.md", "tests/system/*.md"]
# Sphinx does not walk through these folders.
exclude_patterns = ["build", ".*"]
myst_heading_anchors = 4
html_theme = "furo"
html_extra_path = ["top"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False


def old_pages_remove(app, _error):
    """Removes pages of earlier builds that have no source any more."""
    kept = app.env.found_docs | {"index", "search", "genindex"}
    for page in Path(app.outdir).rglob("*.html"):
        if str(page.relative_to(app.outdir).with_suffix("")) not in kept:
            page.unlink()


def setup(app):
    app.connect("source-read", generated.append)
    app.connect("build-finished", old_pages_remove)
