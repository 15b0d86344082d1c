# SPDX-License-Identifier: GPL-2.0
"""Builds a Bochs whose TLB keeps translations of several process-context ids, from Debian's source and bochs_tlb.patch.

Debian's Bochs flushes all translations at each load of CR3, also if bit 63 asks it to keep them. So it never uses a
stale one. The changed Bochs keeps those of up to 64 ids on each processor, and flushes only what the instruction names.
It does not cache upper levels of page tables. A build takes about six minutes on two processors, and stays in the
cache.

    python3 -m tests.harness.bochs_tlb             prints the path of its program
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import archive
from .cache import cache_dir, command, locked, publish, say

SOURCE = "bochs_3.0+dfsg.orig.tar.xz"
DIGEST = "78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b"
PATCH = Path(__file__).with_suffix(".patch")

#: The options of Debian's package for processors, without its displays, devices, debugger and plugins.
OPTIONS = [f"--enable-{name}" for name in (
    "a20-pin", "all-optimizations", "amx", "avx", "cet", "cpu-level=6", "evex", "fpu", "memtype", "pci",
    "protection-keys", "repeat-speedups", "smp", "svm", "uintr", "vmx=2", "x86-64", "3dnow", "cdrom")]
OPTIONS += ["--with-rfb", "--without-x11", "--without-wx", "--without-sdl2", "--disable-docbook"]


def bochs_tlb() -> Path:
    """Returns the program, and builds it if it is missing. Raises RuntimeError if that is impossible."""
    digest = hashlib.sha256(PATCH.read_bytes() + " ".join(OPTIONS).encode()).hexdigest()[:8]
    root = cache_dir() / f"bochs-tlb-{digest}"
    with locked("bochs-tlb"):
        if not root.exists():
            part = root.with_name(f"{root.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            _build(part)
            publish(part, root)
    return root / "bochs"


def _build(part: Path) -> None:
    """Leaves only the program and the log in the folder."""
    tree, log = part / "tree", part / "log"
    say(f"building Bochs with process-context ids (about 6 minutes), log in {log}")
    archive.download(f"pool/main/b/bochs/{SOURCE}", part / SOURCE, DIGEST)
    tree.mkdir()
    command("tar", "-xJf", part / SOURCE, "--strip-components=1", "-C", tree)
    command("patch", "-p1", "-s", "-d", tree, "-i", PATCH)
    with open(log, "w") as out:
        for words in (["./configure", *OPTIONS], ["nice", "-n", "10", "make", f"-j{os.cpu_count()}", "bochs"]):
            if subprocess.run(words, cwd=tree, stdin=subprocess.DEVNULL, stdout=out, stderr=out).returncode:
                sys.stderr.write("".join(log.read_text(errors="replace").splitlines(True)[-40:]))
                raise RuntimeError(f"`{words[0]}` of Bochs failed, see {log}")
    (tree / "bochs").rename(part / "bochs")
    command("strip", part / "bochs")
    shutil.rmtree(tree)
    (part / SOURCE).unlink()


if __name__ == "__main__":
    try:
        print(bochs_tlb())
    except RuntimeError as error:
        sys.exit(f"no Bochs with process-context ids: {error}")
