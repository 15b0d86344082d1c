# SPDX-License-Identifier: BSD-2-Clause
"""Appends text that is generated from the sources to pages of the site."""

import inspect
import re
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
sys.path[:0] = [str(TOP), str(TOP / "python")]
import limpet  # noqa: E402
from tools.compose import interface, stub_page  # noqa: E402

COMMENT = re.compile(r"^<!--.*?-->\n", re.M)


def interfaces(note):
    """Returns the reference of all interfaces, one section each. Calls note with each file that it reads."""
    pages = []
    for file in sorted(TOP.glob("interfaces/*/interface.toml")):
        note(str(file))
        pages.append(COMMENT.sub("", stub_page.page(interface.read(file))))
    return re.sub(r"^#", "##", "\n".join(pages), flags=re.M)


def python(note):
    """Returns the signature and the docstring of each part of the Python package, a section each."""
    for file in sorted((TOP / "python/limpet").glob("*.py")):
        note(str(file))
    return "\n".join(_documented(name, getattr(limpet, name), "##") for name in limpet.__all__)


def _documented(name, what, level):
    """Returns the section of a function or class. A class also has sections for its methods, or a list of its members."""
    text = f"{level} {name}\n\n"
    if not hasattr(what, "__dataclass_fields__"):
        text += f"```python\n{name}{inspect.signature(what)}\n```\n\n".replace("'", "")
    text += f"{inspect.getdoc(what)}\n\n"
    if hasattr(what, "__dataclass_fields__"):
        text += f"Members: {', '.join(f'`{field}`' for field in what.__dataclass_fields__)}.\n"
    if not inspect.isclass(what):
        return text
    methods = {key: part for key, part in vars(what).items() if inspect.isfunction(part) and not key.startswith("_")}
    return text + "\n".join(_documented(key, part, level + "#") for key, part in methods.items())


def results(_note):
    """Returns the place of the test results in the navigation, if `make test-results` has written them."""
    return "```{toctree}\n:hidden:\ntest-results\n```\n" if (TOP / "docs/test-results.md").exists() else ""


def headers(note):
    """Returns the headers of the device files as blocks of C. Calls note with each file that it reads."""
    parts = []
    for name in ("device", "node", "guest"):
        file = TOP / f"include/limpet/{name}.h"
        note(str(file))
        parts.append(f"## `<limpet/{name}.h>`\n\n```c\n{file.read_text()}```\n")
    return "\n".join(parts)


#: The function that writes the rest of a page, by the page's name.
PAGES = {"docs/index": results, "docs/reference/interfaces": interfaces, "docs/reference/devices": headers,
         "docs/reference/python": python}


def append(app, name, source):
    """Appends the generated text of a page. Sphinx calls this after it has read the page. source is a list with its text."""
    if name in PAGES:
        source[0] += "\n" + PAGES[name](app.env.note_dependency)
