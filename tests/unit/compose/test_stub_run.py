# SPDX-License-Identifier: BSD-2-Clause
"""Runs client and server stubs against a kernel that a signal handler simulates."""

import pytest
import support

from tools.compose import contract

ECHO = support.TREE / "interfaces" / "echo" / "interface.toml"
FIRST = contract.VALUES["LIMPET_SLOT_FIRST"]
SYMBOLS = [f"-Wl,--defsym=__limpet_import_echo_{name}={(-1 - FIRST - n) & (1 << 64) - 1:#x}"
           for n, name in enumerate(("none", "four", "six"))]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("machine", [[], ["-DLIMPET_FPU"]])
def test_words_cross(tmp_path, level, machine):
    assert support.interface(ECHO, "--client", tmp_path / "import/echo.h", "--header",
                             tmp_path / "export/echo.h", "--server",
                             tmp_path / "export/echo.S").returncode == 0
    program = tmp_path / "stub_run"
    result = support.run(
        "gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fomit-frame-pointer", "-no-pie",
        level, *machine, "-I", tmp_path, "-I", "lib", "-I", "shared", "-I", "include", *SYMBOLS, "-o", program,
        "tests/unit/compose/stub_run.c", tmp_path / "export/echo.S")
    assert result.returncode == 0, result.stderr
    result = support.run(program)
    if result.returncode == 77:
        pytest.skip(result.stderr)
    assert result.stdout == "good\n", result.stderr
