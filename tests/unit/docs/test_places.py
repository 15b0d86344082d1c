# SPDX-License-Identifier: GPL-2.0
"""Checks that pages and man pages, which packages contain too, mark the commands that need a checkout."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(page.relative_to(ROOT) for part in ("guide", "reference", "tutorial")
               for page in ROOT.glob(f"docs/{part}/*.md"))
#: Pages that also describe the sources by their paths. Only their commands are checked.
OVERVIEWS = sorted(page.relative_to(ROOT) for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"),
                                                       ROOT / "components/README.md"])
MAN = sorted(page.relative_to(ROOT) for part in ("cli/man", "tools/compose") for page in ROOT.glob(f"{part}/*.[1-9]"))
#: Languages of blocks with commands. The other fenced blocks are sources.
COMMANDS = {"```", "```sh", "```bash"}
LINK = re.compile(r"\[[^]]*\]\([^)]*\)")
#: A target of the tree's Makefile, or a module of Python.
COMMAND = re.compile(r"(?<![\w./-])(?:make [a-z][\w./-]*|python3 -m (?:bench|tests|tools)\b[\w.]*)")
#: The same, or a path that the packages do not install under this name. A path with the number of a line is a message,
#: not a command.
ONLY = re.compile(COMMAND.pattern + r"|(?<![\w./-])(?:(?:build/(?:bench|cli|components|debs|docs|interfaces|lib|module|systems?\b)|tools/|bench/|packaging/"
                  r"|tests/(?:unit|system|harness|compose))(?!\S*:\d)[^\s`]*)")
#: Words that mark a command of a checkout, and the variable with which a module of the kit runs elsewhere.
MARKS = re.compile(r"\bcheckout\b|PYTHONPATH=\$\(limpet build --sdk\)")
INSTALLED = re.compile(r"/usr/(share|lib)/limpet/sdk((?:/[\w.-]+)+)")


def paragraphs(text):
    """Returns the number of the first line and the text of each paragraph. A block of code with its empty lines is one."""
    found, lines, fenced = [], [], False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if line.strip() or fenced:
            lines.append((number, line))
        elif lines:
            found.append((lines[0][0], "\n".join(line for _, line in lines)))
            lines = []
    return found


def commands(paragraph):
    """Returns the code of a paragraph in which commands can be: lines of a block, or words in backquotes."""
    first = paragraph.split("\n", 1)[0]
    if first.startswith("    ") or first.split(" ")[0] in COMMANDS:
        return paragraph
    if first.startswith("```"):
        return ""
    return "\n".join(" ".join(code.split()) for code in re.findall(r"`([^`]+)`", LINK.sub("", paragraph)))


def unmarked(text, wanted=ONLY):
    """Returns line and text of each command that needs a checkout, where neither its paragraph nor, for a block, the one
    before says so."""
    found, before = [], ""
    for number, paragraph in paragraphs(text):
        is_block = paragraph.startswith(("    ", "```"))
        if not MARKS.search(paragraph + (before if is_block else "")):
            found += [(number, match[0]) for match in wanted.finditer(commands(paragraph))]
        if not is_block:
            before = paragraph
    return found


def unmarked_in_man(text):
    """Returns the commands that need a checkout in the literal lines of a man page, unless their paragraph says so."""
    found = []
    for paragraph in re.split(r"^\.(?:Pp|PP|TP|It|Sh|SH)\b.*$", text, flags=re.M):
        literal = re.findall(r"^\.(?:Ql|Dl|Li|Cm|B|BR|I|IR) (.*)$|^\.(?:nf|Bd.*)\n([^\0]*?)^\.(?:fi|Ed)$", paragraph, re.M)
        if not MARKS.search(paragraph):
            found += [match[0] for words in literal for match in COMMAND.finditer("\n".join(words))]
    return found


def missing(text):
    """Returns the paths below the installed kit that the packages do not have. A word in capitals is any name."""
    found = []
    for kind, path in INSTALLED.findall(text):
        path = re.sub(r"\b[A-Z]+\b", "*", path.strip("./"))
        if kind == "lib":
            path = re.sub(r"^(systems/.*)\.limpet$", r"\1.toml", path)
        elif path.startswith("build/") or path == "system.schema.json":
            continue                                    # made by the build
        if not any(ROOT.glob(path)):
            found.append(path)
    return found


@pytest.mark.parametrize("text, found", [
    ("Run `make systems` first.", [(1, "make systems")]),
    ("Run `limpet run\nbuild/systems/can.limpet`.", [(1, "build/systems/can.limpet")]),
    ("Run:\n\n    sudo make run SYSTEM=net\n\n```sh\ntools/limpet-compose a.toml\n```",
     [(3, "make run"), (5, "tools/limpet-compose")]),
    ("`python3 -m bench.histogram LOG`", [(1, "python3 -m bench.histogram")]),
    ("Text.\n\n    python3 -m tools.compose.interface x", [(3, "python3 -m tools.compose.interface")]),
    ("In a checkout, run:\n\n    make run\n\nThen `make test`.", [(5, "make test")]),
    ("`make test` in a checkout", []),
    ("    PYTHONPATH=$(limpet build --sdk) python3 -m tools.compose.interface x", []),
    ("    limpet run /usr/lib/limpet/sdk/systems/can.limpet\n    ls $SDK/build/components", []),
    ("Run:\n\n```sh\nmake x\n```\n\n```sh y\nmake z\n```", [(3, "make x"), (7, "make z")]),
    ("With a checkout:\n\n```sh checkout\nmake -C x install\nmake y\n```", []),
    ("```\npanic at tests/system/program/rust/server.rs:72: index\n```", []),
    ("```c\nmake it so\n```\n\nThis can make it less. [`tools/kit`](../../tools/kit)", []),
])
def test_unmarked_commands_are_found(text, found):
    assert unmarked(text) == found


def test_paths_of_sources_are_no_commands():
    assert unmarked("`tools/kit/` and `make run`", COMMAND) == [(1, "make run")]


@pytest.mark.parametrize("text, found", [
    (".Pp\nUse\n.Ql python3 -m bench.histogram LOG .\n.Pp\nIn a checkout", ["python3 -m bench.histogram"]),
    (".SH EXAMPLE\n.nf\nmake components\nlimpet-compose a\n.fi\n", ["make components"]),
    (".Bd -literal\nmake components\n.Ed\n", ["make components"]),
    ("In a checkout,\n.Ql make try\nmakes it so.\n", []), ("make it so\n", []),
])
def test_unmarked_commands_of_man_pages_are_found(text, found):
    assert unmarked_in_man(text) == found


def test_missing_paths_are_found():
    assert missing("/usr/lib/limpet/sdk/systems/no-such.limpet and /usr/share/limpet/sdk/components/no-such.") == \
        ["systems/no-such.toml", "components/no-such"]
    assert missing("/usr/lib/limpet/sdk/systems/can.limpet, /usr/share/limpet/sdk/systems/NAME.toml") == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_of_a_checkout_are_marked(page):
    """A reader of the package limpet-doc has no checkout."""
    assert [f"{page}:{number}: {command}: is only in a checkout: say so, or use the installed command (docs/guide/places.md)"
            for number, command in unmarked((ROOT / page).read_text())] == []


@pytest.mark.parametrize("page", OVERVIEWS, ids=str)
def test_commands_of_a_checkout_are_marked_in_overviews(page):
    assert [f"{page}:{number}: {command}: is only in a checkout: say so, or use the installed command (docs/guide/places.md)"
            for number, command in unmarked((ROOT / page).read_text(), COMMAND)] == []


@pytest.mark.parametrize("page", MAN, ids=str)
def test_commands_of_a_checkout_are_marked_in_man_pages(page):
    assert [f"{page}: {command}: is only in a checkout: say so, or use the installed command"
            for command in unmarked_in_man((ROOT / page).read_text())] == []


def test_installed_paths_exist():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {str(page.relative_to(ROOT)): missing(page.read_text()) for page in pages}
    assert sum(len(INSTALLED.findall(page.read_text())) for page in pages) > 10
    assert {page: paths for page, paths in named.items() if paths} == {}
