# SPDX-License-Identifier: BSD-2-Clause
"""Makes the guest of a trial: the files of its root, and its machine."""

import shutil
from pathlib import Path

from tools.compose.errors import Refused

#: /limpet/run.sh of the guest. It starts the script with variables that depend on the options of `limpet try`.
RUN = """#!/bin/sh
export LIMPET_ATTACH={attach} LIMPET_SHELL={shell}
exec /limpet/script
"""


def is_beneath(want):
    """Returns whether the guest attaches in beneath mode. Only this mode restarts Linux."""
    return want.beneath or want.linux_restarts


def given_file(word):
    """Returns path here and path in the guest of FILE[:PATH]. The default PATH is /root/NAME."""
    here, _, there = word.partition(":")
    if not Path(here).is_file():
        raise Refused.plainly(f"--file {word}: There is no file {here}. Correct the path.")
    if there and (not there.startswith("/") or there.endswith("/")):
        raise Refused.plainly(f"--file {word}: The path in the guest must be absolute, and must name a file. Correct "
                              f"it, or omit it for /root/{Path(here).name}.")
    return Path(here), there or f"/root/{Path(here).name}"


def check(want, terminal):
    """Refuses options that cannot be followed. `terminal` is the file from which a shell of the guest would read."""
    if want.script and not Path(want.script).is_file():
        raise Refused.plainly(f"--script {want.script}: There is no such file. Correct the path.")
    for word in want.file:
        given_file(word)
    if want.shell and not terminal.isatty():
        raise Refused.plainly("--shell: The standard input is not a terminal. Start the command in a terminal, or "
                              "give it the commands with --script.")


def program_of(name, root):
    """Returns a program of Limpet for the guest: the one of the checkout, or else the installed one, or None."""
    built = root / "build/cli" / name
    found = built if built.is_file() else shutil.which(name)
    return Path(found) if found else None


def command_of(root):
    """Returns the command `limpet` for the guest."""
    found = program_of("limpet", root)
    if not found:
        raise Refused.plainly("The command limpet, which the guest needs, is not built or installed. Run `make cli` "
                              f"in {root}.")
    return found


def add_python(files):
    """Adds Python and Limpet's package to the guest."""
    from tests.harness import guest_python
    try:
        guest_python.add(files)
    except FileNotFoundError as error:
        raise Refused.plainly(f"--python: {error}. Install it with `apt install python3-limpet`.") from None


def add_shell(files, root):
    """Adds files that only a user at a terminal needs: `limpet top`, and descriptions of terminals."""
    from tests.harness.property import TERMINALS
    top = program_of("limpet-top", root)
    if top:
        files.file(top, "/usr/bin/limpet-top")
    for path in TERMINALS:
        if path.exists():
            files.file(path, str(path))


def initramfs(want, image, kernel, module, root):
    """Returns the root of the guest."""
    from tests.harness.initramfs import GUEST, Initramfs
    files = Initramfs()
    files.file(module, "/limpet/limpet.ko")
    files.file(command_of(root), "/usr/bin/limpet")
    files.file(image, f"/limpet/images/{image.name}")
    files.text("/limpet/script", Path(want.script or GUEST / "run-system").read_text())
    files.text("/limpet/run.sh", RUN.format(attach="--beneath" if is_beneath(want) else "",
                                            shell="1" if want.shell else ""))
    for word in want.file:
        files.file(*given_file(word))
    if want.linux_restarts:
        files.file(kernel.vmlinuz, "/limpet/vmlinuz")
    if want.python:
        add_python(files)
    if want.shell:
        add_shell(files, root)
    return files


def machine(want, kernel):
    """Returns the machine of the guest."""
    from tests.harness.machine import Machine
    return Machine(kernel=kernel, cpus=want.cpus, timeout=want.timeout, counted=want.counted,
                   watch=not want.linux_restarts, append="limpet.shell" if want.shell else "")
