# SPDX-License-Identifier: BSD-2-Clause
"""Functions that the tests of composer, generator and image checker share."""

import contextlib
import fcntl
import io
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Sources of the check of images.
CHECKER = sorted((ROOT / "shared/image").glob("check*.c"))
TREE = ROOT / "tests" / "compose" / "tree"
BUILD = ROOT / "build" / "tests" / "compose"
PYTHON = "/usr/bin/python3"
FOLDERS = ["--components", TREE / "components", "--interfaces", TREE / "interfaces"]

sys.path.insert(0, str(ROOT))

from tools.compose import __main__ as composer, build as component_build, errors  # noqa: E402
from tools.compose import interface as interface_generator  # noqa: E402


def run(*command, **options):
    """Runs a command of the project in the project's folder."""
    environment = {**os.environ, "LIMPET_IMAGE_CHECK": str(BUILD / "tools" / "image-check"),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([str(word) for word in command], cwd=ROOT, env=environment, text=True,
                          capture_output=True, check=False, timeout=300, **options)


def build():
    """Builds the components of the tree and the image checker. Each of pytest's processes does this, one after another."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run("make", "-s", "-f", "tools/build.mk", f"BUILD={BUILD}",
                     f"COMPONENT_DIRS={TREE}/components",
                     f"INTERFACE_DIRS={TREE}/interfaces {ROOT}/interfaces",
                     "components", f"{BUILD}/tools/image-check")
    assert result.returncode == 0, result.stdout + result.stderr


def call(program, main, *words):
    """Like run() for a command of tools/compose, in this process: it saves Python's start."""
    output, messages = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(messages):
        try:
            code = errors.run(program, main, [str(word) for word in words])
        except SystemExit as end:
            code = end.code
    return subprocess.CompletedProcess(words, code, output.getvalue(), messages.getvalue())


def compose(system, *more):
    return call("limpet-compose", composer.main, system, *FOLDERS,
                *([] if "--objects" in more else ["--objects", BUILD / "components"]), *more)


def component(folder, *more):
    return call("limpet-component", component_build.main, folder, "--runtime", BUILD / "lib", *more)


def interface(definition, *more):
    return call("limpet-interface", interface_generator.main, definition, *more)


def compile_c(source, *flags):
    return run("gcc", "-Wall", "-Wextra", "-Werror", "-c", "-o", "/dev/null", *flags, source)


def refused_lines(result):
    """Returns the lines of a refusal, one for each mistake: FILE:LINE:[where]: what is wrong, what is expected or what to
    do, in at least two full sentences.
    """
    text = result.stderr
    assert result.returncode == 1, (result.returncode, text)
    assert "Traceback" not in text
    assert text.endswith("\n"), text
    for line in text.splitlines():
        assert ":[" in line and "]: " in line, text
        assert re.fullmatch(r"[-A-Z0-9'\"].+[.?] .*[A-Z].*\.", line.split("]: ", 1)[1]), f"not sentences: {text}"
    return text.splitlines()


def only_line(result):
    """The same for a refusal with one mistake."""
    assert len(refused_lines(result)) == 1, result.stderr
    return result.stderr
