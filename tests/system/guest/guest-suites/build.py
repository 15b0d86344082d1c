# SPDX-License-Identifier: GPL-2.0
"""Packs the tests of bash, perl and coreutils from Debian's source packages, with what they need of the sources."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4]))

from tests.harness import sources    # noqa: E402

#: The programs of bash's source that its tests call.
HELPERS = ("recho", "zecho", "printenv", "xcase")
#: Files of bash's source that its tests read.
READ = ("y.tab.c", "config.h.in", "patchlevel.h")
#: The parts of perl's tests that run here, with the files that they load.
PERL = ("t/base", "t/cmd", "t/io", "t/op", "t/lib", "t/test.pl", "t/harness", "t/TEST", "t/loc_tools.pl",
        "t/charset_tools.pl", "t/thread_it.pl", "ext/POSIX", "ext/IPC-Open3", "ext/Fcntl", "dist/IO", "dist/threads",
        "dist/threads-shared", "dist/Time-HiRes", "cpan/Socket", "cpan/IPC-SysV", "cpan/File-Temp")
#: The parts of coreutils' tests that run here, with the files that they load.
COREUTILS = ("init.cfg", "tests")


def limits() -> str:
    """Returns the output of coreutils' getlimits, which Debian does not install."""
    signed = {"CHAR": 1, "SCHAR": 1, "SHRT": 2, "INT": 4, "LONG": 8, "SSIZE": 8, "TIME_T": 8, "PID_T": 4, "OFF_T": 8,
              "INTMAX": 8}
    unsigned = {"UCHAR": 1, "UINT": 4, "ULONG": 8, "SIZE": 8, "UID_T": 4, "GID_T": 4, "UINTMAX": 8}
    ranges = {name: (-1 << 8 * size - 1, (1 << 8 * size - 1) - 1) for name, size in signed.items()}
    ranges |= {name: (0, (1 << 8 * size) - 1) for name, size in unsigned.items()}
    lines = []
    for name, (low, high) in ranges.items():
        lines += [f"{name}_MAX={high}", f"{name}_OFLOW={high + 1}"]
        if low:
            lines += [f"{name}_MIN={low}", f"{name}_UFLOW={low - 1}"]
    lines += ["FLT_MIN=1.17549435e-38", "FLT_MAX=3.40282347e+38",
              "DBL_MIN=2.2250738585072014e-308", "DBL_MAX=1.7976931348623157e+308",
              "LDBL_MIN=3.3621031431120935063e-4932", "LDBL_MAX=1.189731495357231765e+4932"]
    return "\n".join(lines) + "\n"


def build(folder: Path) -> None:
    """Makes bash.tar, perl.tar and coreutils.tar."""
    folder.mkdir(parents=True, exist_ok=True)
    bash, perl, coreutils = (sources.fetch(name) for name in ("bash", "perl", "coreutils"))
    for name in HELPERS:
        subprocess.run(["gcc", "-w", "-O2", "-DHAVE_STRING_H", "-DHAVE_STDLIB_H", "-DHAVE_UNISTD_H",
                        f"-I{bash}", f"-I{bash}/include", "-include", "stdlib.h", "-include", "string.h",
                        "-o", folder / name, bash / f"support/{name}.c"], check=True)
    subprocess.run(["tar", "-cf", folder / "bash.tar", "--transform=s/config.h.in/config.h/;s/patchlevel.h/version.h/",
                    "-C", bash, "tests", *READ, "-C", folder.resolve(), *HELPERS], check=True)
    subprocess.run(["tar", "-cf", folder / "perl.tar", "-C", perl, *PERL], check=True)
    subprocess.run(["tar", "-cf", folder / "coreutils.tar", "--transform=s|^|coreutils/|", "-C", coreutils, *COREUTILS],
                   check=True)
    (folder / "limits").write_text(limits(), encoding="ascii")
    for name in HELPERS:
        (folder / name).unlink()
