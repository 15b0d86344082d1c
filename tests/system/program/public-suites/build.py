# SPDX-License-Identifier: GPL-2.0
"""Builds public test suites of Debian's source packages, unchanged, each case for Linux and for Limpet.

The suites are the tests of gnulib, dietlibc and zlib, and programs that use SQLite. Gnulib's tests are built without its
replacements, so they test the C library. Many of dietlibc's tests are glibc's. A case is omitted only if musl cannot
build it, if it calls a function that needs a second process (cases.PROCESS) or a terminal (TERMINAL), or if it calls no
function.
"""

import os
import sys
from pathlib import Path

TOP = Path(__file__).parents[4]
sys.path.insert(0, str(TOP))

from tests.harness import sources                       # noqa: E402
from tests.harness.cache import cache_dir, locked       # noqa: E402
from tests.system.lib import cases                      # noqa: E402

HERE = Path(__file__).parent
NAME = "public-suites"
DIETLIBC = ("-D_GNU_SOURCE", "-D_REENTRANT")
#: A case that calls one of these needs a terminal, which is outside of POSIX.13's profile PSE52.
TERMINAL = frozenset({"getpass", "grantpt", "login_tty", "openpty", "posix_openpt", "ptsname", "ptsname_r", "tcgetattr",
                      "tcsetattr", "unlockpt"})
SQLITE = ("-DSQLITE_OMIT_LOAD_EXTENSION",)
#: Minimum number of cases that are built with LIMPET_LONG.
CASES_MIN = 419


def build(folder: Path) -> None:
    """Builds everything that is out of date into a folder."""
    own = [Path(__file__), HERE / "gnulib/config.h", *sorted((HERE / "program").glob("*.c"))]
    objects = cache_dir() / f"{NAME}.objects-{cases.digest(*own)}"
    with locked(f"{NAME}-objects"):
        built = cases.compiled(found(bool(os.environ.get("LIMPET_LONG"))), objects, TERMINAL)
    cases.require(built, quick(), CASES_MIN)
    cases.link(folder, built, objects)


def found(everything: bool) -> list[cases.Case]:
    """Returns the cases. `make test` has only those of the file `quick`, and fetches no other packages."""
    suites = {"zlib": zlib, "sqlite": sqlite, "dietlibc": dietlibc, "gnulib": gnulib}
    return [case for name, suite in suites.items() if everything or any(one.startswith(f"{name}/") for one in quick())
            for case in suite() if everything or case.name in quick()]


def quick() -> set[str]:
    """Returns the cases of `make test`."""
    return set((HERE / "quick").read_text().split())


def zlib() -> list[cases.Case]:
    """Returns zlib's own tests, each with the whole library."""
    tree = sources.fetch("zlib")
    flags = (f"-I{tree}", "-DHAVE_UNISTD_H", "-D_GNU_SOURCE")
    library = tuple((path, flags) for path in sorted(tree.glob("*.c")))
    return [cases.Case("zlib/example", ((tree / "test/example.c", flags), *library)),
            cases.Case("zlib/infcover", ((tree / "test/infcover.c", flags), *library)),
            cases.Case("zlib/minigzip", ((HERE / "program/minigzip.c", ()),
                                         (tree / "test/minigzip.c", (*flags, "-Dmain=minigzip_main")), *library))]


def sqlite() -> list[cases.Case]:
    """Returns programs that use SQLite. The package of Perl's module has SQLite's sources as one file."""
    tree = sources.fetch("libdbd-sqlite3-perl")
    speedtest = sources.fetch("sqlite3") / "test/speedtest1.c"
    library = (tree / "sqlite3.c", SQLITE)
    result = []
    for name, database in (("memory", ":memory:"), ("file", "items.db")):
        flags = (f"-I{tree}", f'-DDATABASE="{database}"')
        result += [cases.Case(f"sqlite/{name}", ((HERE / "program/sqlite.c", flags), library)),
                   cases.Case(f"sqlite/speedtest-{name}", ((HERE / "program/speedtest.c", flags),
                                                            (speedtest, (*flags, "-Dmain=speedtest_main")), library))]
    return result


def dietlibc() -> list[cases.Case]:
    """Returns dietlibc's tests."""
    tests = sources.fetch("dietlibc") / "test"
    return [cases.Case(f"dietlibc/{path.relative_to(tests).with_suffix('')}", ((path, (*DIETLIBC, f"-I{path.parent}")),))
            for path in sorted(tests.rglob("*.c"))]


def gnulib() -> list[cases.Case]:
    """Returns gnulib's tests. Its own headers are searched last, so that they do not replace those of musl.

    The tests of locks and threads also get gnulib's functions for them, which only call those of the C library.
    """
    tree = sources.fetch("gnulib")
    flags = ("-D_GNU_SOURCE", f"-I{HERE}/gnulib", f"-I{tree}/tests", "-idirafter", f"{tree}/lib")
    threads = tuple((path, flags) for path in sorted((tree / "lib/glthread").glob("*.c")))
    return [cases.Case(f"gnulib/{path.stem}", ((path, flags), *(threads if b'"glthread/' in path.read_bytes() else ())))
            for path in sorted((tree / "tests").glob("test-*.c"))]


if __name__ == "__main__":
    build(TOP / f"build/system/program/{NAME}")
