#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check.py FOLDER: checks the HTML pages of a site.

Each link to a page or file of the site must have a target, and each anchor must exist. A page may link to other sites,
but it must not load anything from them. Prints one line for each mistake. The exit code is 1 if there are any.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Elements whose target a browser loads by itself, and the attributes with that target.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "link": "href", "object": "data"}
CSS_LOAD = re.compile(r"(?:url\(\s*|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)")


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if values.get(LOADED.get(tag)):
            self.loads.append(values[LOADED[tag]])


def external(link):
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def mistake(folder, pages, path, link):
    """Returns the mistake of a link inside the site, or None."""
    parts = urlsplit(link)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(folder) or not target.is_file():
        return f"{link}: the site does not have this file"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages[target].anchors:
        return f"{link}: the page does not have this anchor"
    return None


def check_page(folder, pages, path):
    page = pages[path]
    found = [f"{load}: is loaded from another site" for load in page.loads if external(load) and not load.startswith("data:")]
    local = [link for link in [*page.links, *page.loads] if not external(link)]
    return found + [text for text in (mistake(folder, pages, path, link) for link in dict.fromkeys(local)) if text]


def check(folder):
    """Returns the mistakes of all pages and style sheets as lines."""
    folder = folder.resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    lines = [f"{path.relative_to(folder)}: {text}" for path in pages for text in check_page(folder, pages, path)]
    for path in sorted(folder.rglob("*.css")):
        lines += [f"{path.relative_to(folder)}: {load}: is loaded from another site"
                  for load in CSS_LOAD.findall(path.read_text(encoding="utf-8"))]
    return lines if pages else [f"{folder}: the folder has no page"]


if __name__ == "__main__":
    mistakes = check(Path(sys.argv[1]))
    print("\n".join(mistakes) or "site: each link has its target, and nothing is loaded from other sites")
    sys.exit(bool(mistakes))
