# SPDX-License-Identifier: BSD-2-Clause
"""Options that do not depend on the system: --version, and paths that cannot be written."""

import os
import subprocess

import pytest
import support

from tools.compose import errors, rtlinux


def make_variable(name):
    """Returns the value of a variable of packaging/version.mk."""
    text = f"include packaging/version.mk\nall:\n\t@echo '$({name})'\n"
    return support.run("make", "-s", "-f", "-", input=text).stdout.strip()


@pytest.mark.parametrize("call, prog", [(support.compose, "limpet-compose"), (support.component, "limpet-component")])
def test_version(call, prog):
    """The version and the date are those of `limpet --version`, which reads them from packaging/version.mk."""
    result = call("--version")
    version, date = make_variable("LIMPET_VERSION"), make_variable("LIMPET_DATE")
    assert version and date
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{prog} {version}, {date}\n", "")


@pytest.mark.parametrize("tool", ["compose", "component", "kit", "rtlinux"])
def test_modules_of_the_current_folder_are_not_used(tmp_path, tool):
    """Another user can write the current folder, such as /tmp."""
    for name in ("argparse", "compose", "json", "tools"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(f'{__file__} is used')\n")
    result = subprocess.run([support.ROOT / f"tools/limpet-{tool}", "--help"], cwd=tmp_path, text=True, capture_output=True,
                            check=False, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_kit_contains_the_changelog():
    """The installed tools read their version from the same place below their folder."""
    listed = (support.ROOT / "packaging/install.mk").read_text()
    assert "$(call files,kit,file,$(KIT)/packaging/debian,$(CHANGELOG))" in listed


SYSTEM = support.TREE / "systems" / "small.toml"


@pytest.mark.parametrize("option", ["-o", "--report", "--svg"])
def test_a_missing_folder_of_an_output(tmp_path, option):
    line = support.only_line(support.compose(SYSTEM, option, tmp_path / "none" / "x.out"))
    assert line.startswith(f"limpet-compose: {tmp_path}/none/x.out:[{option}]: There is no folder {tmp_path}/none. ")
    assert f"Option {option} " in line and ".new" not in line and not (tmp_path / "none").exists()


def test_an_output_that_is_a_folder(tmp_path):
    assert f"{tmp_path}:[-o]: The path is a folder." in support.only_line(support.compose(SYSTEM, "-o", tmp_path))


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    line = support.only_line(support.compose(SYSTEM, "-o", tmp_path / "x.limpet"))
    assert f"[-o]: The folder {tmp_path} cannot be written." in line


@pytest.mark.parametrize("option", ["-o", "--system"])
def test_a_missing_folder_of_a_build_for_rtlinux(tmp_path, option):
    source = tmp_path / "program.c"
    source.write_text("int unused;\n")
    outputs = {"-o": tmp_path / "x.limpet", "--system": tmp_path / "x.toml", option: tmp_path / "none" / "x"}
    words = [word for pair in outputs.items() for word in pair]
    result = support.call("limpet rtlinux", rtlinux.main, "build", source, *words)
    assert f"{tmp_path}/none/x:[{option}]: There is no folder {tmp_path}/none. " in support.only_line(result)


def test_no_output_is_not_refused():
    errors.check_output("-o", None)
