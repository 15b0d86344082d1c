# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the public RTLinux programs unchanged, and makes the page of verdicts: python3 -m tests.compose.rtlinux_programs RUNTIME.a."""

import contextlib
import io
import re
import sys
import tempfile
import tomllib
import types
from pathlib import Path

from tests.compose.support import ROOT
from tests.harness.public import archive
from tools.compose import rtlinux
from tools.compose.errors import Refused

PAGE = ROOT / "docs/reference/rtlinux-programs.md"
EXPECTED = ROOT / "tests/system/program/rtlinux-public/expected/programs.toml"
HEAD = """# Public programs for RTLinux

The modules of the public suite `rtlinux-programs`, each compiled unchanged against `lib/rtlinux`. A program "builds" if it
compiles and the library has all that it uses. A test compares this column with the compiler where `LIMPET_SUITES` has the archive. A
program "passes" if it logs what its documentation says, and its unchanged Linux partner prints what it should. The property
`rtlinux-public` of `make test-all` runs each of these programs. `python3 -m tests.compose.rtlinux_programs RUNTIME.a` writes the
page.

| program | builds | passes | remark |
|---|---|---|---|
"""


def verdict(source: Path, work: Path, known: set[str]) -> tuple[str, str]:
    """Compiles a program. Returns whether it builds, and the reason if not."""
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            module, _ = rtlinux.compile_module([source], work, types.SimpleNamespace(define=[]))
    except Refused:
        found = re.search(r"#error (<[^\n]*?), because ([^\n]*?)\.?\n", errors.getvalue())
        own = re.search(r'error: (#error "?|[^\n]*?)([^\n"]*?)"?\n', errors.getvalue())
        return "no", (f"`{found[1].split()[0]}`: {found[2]}" if found else (own[1].removeprefix("#error").strip(' "') + own[2]).strip())
    missing = rtlinux.undefined(module) - known
    return ("no", "uses " + ", ".join(f"`{name}`" for name in sorted(missing))) if missing else ("yes", "")


def page(library: Path) -> str:
    """Returns the page. Raises tests.harness.public.Missing without the archive."""
    packed = archive("rtlinux-programs")
    known = set(re.findall(r" [TDBRWC] (\w+)$", rtlinux.tool("nm", library), re.MULTILINE)) | {"_GLOBAL_OFFSET_TABLE_"}
    runs = {program["file"]: program for program in tomllib.loads(EXPECTED.read_text())["program"]}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rtlinux.tool("tar", "-xf", packed, "-C", folder)
        top, work = Path(folder) / "rtlinux", Path(folder) / "work"
        for source in sorted(top.rglob("*.c")):
            if not rtlinux.is_module(source):
                continue
            work.mkdir(exist_ok=True)
            builds, reason = verdict(source, work, known)
            run = runs.get(str(source.relative_to(top)))
            reason = run.get("note", "") if run else reason
            rows.append(f"| `{source.relative_to(top)}` | {builds} | {'yes' if run else 'no'} | {reason} |\n")
    return HEAD + "".join(row.replace("|  |\n", "| |\n") for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1])))
