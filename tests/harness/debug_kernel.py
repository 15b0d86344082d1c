# SPDX-License-Identifier: GPL-2.0
"""Builds the debug kernel: Debian's linux-source-6.1 with guest/debug.config.

It is built once and cached under a name that holds a digest of the configuration. An interrupted build is
continued.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from .cache import cache_dir, command, publish, say
from .suites import Suites

SUITES = ("bookworm", "bookworm-security")
SOURCE = "linux-source-6.1"
#: The compiler of Debian's 6.1, used also if the machine's default compiler is another one.
COMPILER = "gcc-12"
CONFIG = Path(__file__).parent / "guest/debug.config"


def tree() -> Path:
    """Returns the built tree. The caller must hold the lock of its flavour."""
    digest = hashlib.sha256(CONFIG.read_bytes()).hexdigest()[:8]
    final = cache_dir() / f"6.1-debug-{digest}"
    if not final.exists():
        work = final.with_name(f"{final.name}.build")
        if not (work / "Makefile").exists():
            _unpack(work)
        _configure(work)
        _build(work)
        publish(work, final)
    return final


def _unpack(work: Path) -> None:
    temporary = work.with_name(f"{work.name}.unpack")
    deb = Suites(*SUITES).download(SOURCE)
    say(f"unpacking {deb.name}")
    command("rm", "-rf", temporary)
    temporary.mkdir()
    script = f"""set -o pipefail
        dpkg-deb --fsys-tarfile '{deb}' | tar -xO --wildcards '*.tar.xz' |
        tar -xJ --strip-components=1 -C '{temporary}'"""
    command("bash", "-c", script)
    choose_compiler(temporary / "Makefile")
    publish(temporary, work)


def choose_compiler(makefile: Path) -> None:
    """Makes a kernel's Makefile use COMPILER, also for modules that are built later."""
    text, found = re.subn(r"^(CC\s*= \$\(CROSS_COMPILE\))gcc$", rf"\g<1>{COMPILER}", makefile.read_text(), flags=re.M)
    if not found:
        raise RuntimeError(f"{makefile}: there is no line `CC = $(CROSS_COMPILE)gcc`")
    makefile.write_text(text)


def _configure(work: Path) -> None:
    command("make", "-s", "-C", work, f"KCONFIG_ALLCONFIG={CONFIG}", "allnoconfig")
    have = set((work / ".config").read_text().splitlines())
    wanted = [line for line in CONFIG.read_text().splitlines() if line.startswith("CONFIG_")]
    lost = [line for line in wanted if line not in have]
    if lost:
        raise RuntimeError(f"{CONFIG}: kconfig drops {', '.join(lost)}")


def _build(work: Path) -> None:
    jobs = f"-j{os.cpu_count()}"
    log = cache_dir() / "6.1-debug.log"
    say(f"building the debug kernel (about 15 minutes), log in {log}")
    with open(log, "w") as out:
        for target in (["bzImage", "modules"],
                       ["modules_install", "INSTALL_MOD_PATH=root", "DEPMOD=true"]):
            words = ["nice", "-n", "10", "make", jobs, *target]
            if subprocess.run(words, cwd=work, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out).returncode:
                sys.stderr.write("".join(log.read_text().splitlines(True)[-40:]))
                raise RuntimeError(f"the debug kernel does not build, see {log}")
