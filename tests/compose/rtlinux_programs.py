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
from tools.compose.rtlinux_makefile import is_module

PAGE = ROOT / "docs/reference/rtlinux-programs.md"
EXPECTED = [ROOT / f"tests/system/program/rtlinux-{part}/expected/programs.toml" for part in ("public", "parallel")]
#: Reasons of programs that need several sources, which this page compiles one by one.
REASONS = {"examples/hello_dev_mem/hello_core.c": "maps physical memory by `/dev/mem`, which belongs to the system file"}
HEAD = """# Public programs for RTLinux

This page lists the modules of the public suite `rtlinux-programs`, each compiled unchanged against `lib/rtlinux`. A
program "builds" if it compiles and the library has all that it uses. A test compares this column with the compiler
where `LIMPET_SUITES` has the archive. A program "passes" if its log has the text of its documentation, and its
unchanged Linux partner prints the expected text. In a checkout, the property `rtlinux-public` of `make test-all` runs
each program that passes. The programs of a parallel port run in the property `rtlinux-parallel`, beneath Linux with
QEMU's port, whose data register the test reads. The other programs were not run. `python3 -m
tests.compose.rtlinux_programs RUNTIME.a` writes the page.

| program | builds | passes | remark |
|---|---|---|---|
"""


def verdict(source: Path, work: Path, known: set[str]) -> tuple[str, str]:
    """Compiles a program. Returns whether it builds, and the reason if not."""
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            module, _ = rtlinux.compile_module([source], work, types.SimpleNamespace(define=[]))
    except Refused as refused:
        found = re.search(r"uses the contents of (.*)\. 'gcc' failed", str(refused))
        header = re.search(r"#error (<[^\n]*?) is not available in a component, because ([^\n]*?)\.?\n", errors.getvalue())
        own = re.search(r'error: (#error "?|[^\n]*?)([^\n"]*?)"?\n', errors.getvalue())
        reason = found[1] if found else f"{header[1]}: {header[2]}" if header else (own[1].removeprefix("#error").strip(' "') + own[2]).strip()
        return "no", re.sub(r"<[^>]*>", lambda name: f"`{name[0]}`", reason)
    used = rtlinux.undefined(module)
    if used - known:
        return "no", "uses " + rtlinux.missing_named(sorted(used - known))
    return "yes", "needs its I/O ports: `--ports`" if used & rtlinux.PORT_USERS else ""


def page(library: Path) -> str:
    """Returns the page. Raises tests.harness.public.Missing without the archive."""
    packed = archive("rtlinux-programs")
    known = set(re.findall(r" [TDBRWC] (\w+)$", rtlinux.tool("nm", library), re.MULTILINE)) | {"_GLOBAL_OFFSET_TABLE_"}
    runs = {program["file"]: program for path in EXPECTED for program in tomllib.loads(path.read_text())["program"]}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rtlinux.tool("tar", "-xf", packed, "-C", folder)
        top, work = Path(folder) / "rtlinux", Path(folder) / "work"
        for source in sorted(top.rglob("*.c")):
            if not is_module(source):
                continue
            work.mkdir(exist_ok=True)
            builds, reason = verdict(source, work, known)
            run = runs.get(str(source.relative_to(top)))
            reason = run.get("note", "") if run else REASONS.get(str(source.relative_to(top)), reason)
            rows.append(f"| `{source.relative_to(top)}` | {builds} | {'yes' if run else 'no'} | {reason} |\n")
    return HEAD + "".join(row.replace("|  |\n", "| |\n") for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1])))
