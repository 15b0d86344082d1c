# SPDX-License-Identifier: BSD-2-Clause
"""Tests projects outside the tree: `limpet new` makes them, and `limpet build` builds and tests them without QEMU."""

import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.compose.errors import Refused  # noqa: E402
from tools.kit import trial  # noqa: E402

TREE = Path(__file__).resolve().parents[3]
LIMPET = TREE / "build/cli/limpet"
#: Projects with a component, a C program, a C++ program and a component in Rust.
NAMES = ("first", "second", "third", "fourth")


def limpet(folder, *words, **environment):
    """Runs the command in a folder. Returns its exit code, stdout and stderr."""
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "LIMPET_SDK")}
    done = subprocess.run([LIMPET, *words], cwd=folder, env=kept | environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def must(folder, *words):
    """Runs the command, which must succeed. Returns its stdout."""
    code, out, err = limpet(folder, *words)
    assert code == 0, out + err
    return out


@pytest.fixture(name="projects", scope="module")
def _projects(tmp_path_factory):
    """Returns a folder with a built project of each kind."""
    folder = tmp_path_factory.mktemp("projects")
    must(folder, "new", "project", "first")
    must(folder, "new", "project", "second", "--program")
    must(folder, "new", "project", "third", "--cpp")
    must(folder, "new", "project", "fourth", "--rust")
    for name in NAMES:
        must(folder / name, "build", "all", "unit-test")
    return folder


def test_new_prints_the_files_that_it_made(tmp_path):
    made = must(tmp_path, "new", "project", "arm").splitlines()
    assert {line.removeprefix("made ") for line in made} == \
        {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert "@" not in "".join(path.read_text() for path in (tmp_path / "arm").rglob("*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_a_project_builds_its_system_and_passes_its_unit_test(projects, name):
    assert (projects / name / f"build/{name}.limpet").stat().st_size % 4096 == 0
    assert f"unit test {name}: ok" in must(projects / name, "build", "unit-test")


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_test_can_fail(projects, name):
    [source] = (projects / name / name).glob(f"{name}.*")
    good = source.read_text()
    source.write_text(good.replace("n <= count", "n < count"))
    code, out, err = limpet(projects / name, "build", "unit-test")
    source.write_text(good)
    assert code and f"unit test {name}: FAILED" in out and "assertion" in (out + err).lower()


def test_a_second_component_and_a_system_with_both(projects):
    first = projects / "first"
    must(first, "new", "component", "other")
    must(first, "new", "system", "both")
    must(first, "build", "all", "unit-test")
    report = (first / "build/both.txt").read_text()
    assert "first" in report and "other" in report


def test_existing_files_are_not_overwritten(tmp_path):
    must(tmp_path, "new", "component", "arm")
    (tmp_path / "arm/arm.c").write_text("mine")
    code, _, err = limpet(tmp_path, "new", "component", "arm")
    assert code == 1 and err == "limpet new: arm/component.toml: The file already exists. Existing files are not " \
                                "overwritten. Choose another name or remove it.\n"
    assert (tmp_path / "arm/arm.c").read_text() == "mine"


def test_an_empty_project_has_only_a_makefile(tmp_path):
    assert must(tmp_path, "new", "project", "arm", "--empty") == "made arm/Makefile\nmade arm/.gitignore\n"
    must(tmp_path / "arm", "build", "all", "unit-test")
    must(tmp_path / "arm", "new", "component", "first")
    must(tmp_path / "arm", "new", "system", "both")
    must(tmp_path / "arm", "build")
    assert {"both.limpet", "both.txt"} <= {path.name for path in (tmp_path / "arm/build").iterdir()}
    assert (tmp_path / "arm/build/both.svg").is_file() == bool(shutil.which("dot"))
    code, _, err = limpet(tmp_path, "new", "project", "arm", "--empty")
    assert code == 1 and "arm/Makefile: The file already exists" in err


@pytest.mark.parametrize("option", ["--program", "--cpp", "--rust", "--empty"])
def test_a_system_is_no_program(tmp_path, option):
    code, out, err = limpet(tmp_path, "new", "system", "arm", option)
    assert code == 2 and not out and option in err and not list(tmp_path.iterdir())


def test_a_project_is_not_made_in_part(tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm/arm.toml").write_text("mine")
    code, _, err = limpet(tmp_path, "new", "project", "arm")
    assert code == 1 and "arm.toml: The file already exists" in err
    assert [path.name for path in (tmp_path / "arm").iterdir()] == ["arm.toml"]


@pytest.mark.parametrize("name", ["Arm", "9arm", "a_b", "a--b", "x" * 32, "../arm", ""])
def test_invalid_names_are_refused(tmp_path, name):
    code, out, err = limpet(tmp_path, "new", "component", name)
    assert code == 1 and not out and "is not a valid name" in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_copied_component_with_its_old_name_is_refused(projects):
    copy = projects / "first/copy"
    copy.mkdir()
    for path in (projects / "first/first").iterdir():
        (copy / path.name).write_text(path.read_text())
    code, _, err = limpet(projects / "first", "build")
    for path in [*copy.iterdir()]:
        path.unlink()
    copy.rmdir()
    assert code and "is 'first' in the folder 'copy'. Both names must be the same. Rename one" in err


@pytest.mark.parametrize("words, part", [
    (["build"], "limpet build: There is no Makefile in "),
    (["try", "none"], "limpet try: There is no none.toml here. This folder has no system. Correct the name, or make"),
    (["try", "none.limpet"], "limpet try: There is no image none.limpet. Correct the path, or make"),
    (["try", "x", "--script", "none.sh"], "limpet try: --script none.sh: There is no such file. Correct the path."),
    (["try", "x", "--file", "none"], "limpet try: --file none: There is no file none. Correct the path."),
    (["try", "x", "--file", "/:/a"], "limpet try: --file /:/a: There is no file /. Correct the path."),
    (["try", "x", "--file", "/bin/sh:bin/sh"], "limpet try: --file /bin/sh:bin/sh: The path in the guest must be absolute"),
    (["try", "x", "--file", "/bin/sh:/bin/"], "and must name a file. Correct it, or omit it for /root/sh."),
    (["try", "x", "--shell"], "limpet try: --shell: The standard input is not a terminal. Start the command in a terminal"),
    (["new", "component", "Bad_Name"], "limpet new: 'Bad_Name' is not a valid name of a component. A name has at most"),
])
def test_messages_name_missing_files(tmp_path, words, part):
    code, out, err = limpet(tmp_path, *words)
    assert code == 1 and not out and part in err and err.count("\n") == 1


@pytest.mark.parametrize("word, part", [
    ("nope", "Known names: all, build/"), ("tset", "Did you mean 'test'?"),
    ("first", "Did you mean 'build/first.limpet'?"),
])
def test_an_unknown_target_is_refused_with_the_known_ones(projects, word, part):
    code, out, err = limpet(projects / "first", "build", word)
    assert code == 1 and not out and err.count("\n") == 1
    assert err.startswith(f"limpet build: The project has no target '{word}'. {part}")


def test_words_of_make_are_passed_on(projects):
    """A target of the project's own Makefile and a variable are not refused. A missing source is make's error."""
    makefile = projects / "second/Makefile"
    good = makefile.read_text()
    makefile.write_text(good + "\nown:\n\t@echo own $(WORD)\nlost: nowhere.c\n")
    said = must(projects / "second", "build", "own", "WORD=x")
    code, _, err = limpet(projects / "second", "build", "lost")
    makefile.write_text(good)
    assert said == "own x\n"
    assert code == 2 and "needed by 'lost'" in err


def test_a_try_names_the_systems_of_the_folder(projects):
    code, _, err = limpet(projects / "first", "try", "frist")
    assert code == 1 and err.startswith("limpet try: There is no frist.toml here. Did you mean 'first'?")


def test_a_kernel_without_the_module_is_refused(projects):
    code, _, err = limpet(projects / "first", "try", "build/first.limpet", "--kernel", "1.2.3")
    assert code == 1 and "limpet try: There is no limpet.ko for kernel 1.2.3. Install" in err


def test_the_kit_is_found_by_the_variable_or_next_to_the_command(tmp_path):
    assert must(tmp_path, "build", "--sdk") == f"{TREE}\n"
    code, _, err = limpet(tmp_path, "build", "--sdk", LIMPET_SDK=str(tmp_path))
    assert code == 1 and err.startswith(f"limpet build: LIMPET_SDK={tmp_path}: There is no tools/limpet-kit in this folder")
    (tmp_path / "bin").mkdir()
    (tmp_path / "share/limpet").mkdir(parents=True)
    (tmp_path / "bin/limpet").write_bytes(LIMPET.read_bytes())
    (tmp_path / "bin/limpet").chmod(0o755)
    code, _, err = limpet_at(tmp_path / "bin/limpet")
    assert code == 1 and "Install limpet-sdk" in err
    (tmp_path / "share/limpet/sdk").symlink_to(TREE)
    assert limpet_at(tmp_path / "bin/limpet") == (0, f"{TREE}\n", "")


def limpet_at(program):
    """Runs `build --sdk` with a copy of the command. Returns its exit code, stdout and stderr."""
    done = subprocess.run([program, "build", "--sdk"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("place, pack", [("updates/dkms/limpet.ko.xz", lzma.compress), ("extra/limpet.ko", bytes)])
def test_an_installed_kernel_with_the_module_comes_first(tmp_path, monkeypatch, place, pack):
    monkeypatch.setattr(trial, "MACHINE", tmp_path)
    module = tmp_path / "lib/modules/6.1.0-1-amd64" / place
    module.parent.mkdir(parents=True)
    module.write_bytes(pack(b"module"))
    with pytest.raises(Refused, match=f"There is no {tmp_path}/boot/vmlinuz-6.1.0-1-amd64"):
        trial.kernel_of("6.1.0-1-amd64", tmp_path, tmp_path)
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-6.1.0-1-amd64").write_text("kernel")
    kernel, found = trial.kernel_of("6.1.0-1-amd64", tmp_path, tmp_path)
    assert kernel.release == "6.1.0-1-amd64" and kernel.vmlinuz.read_text() == "kernel"
    assert kernel.modules == tmp_path / "lib/modules/6.1.0-1-amd64"
    assert found.suffix == ".ko" and found.read_bytes() == b"module"


def put_kernel(machine, release, *names):
    """Makes files of an installed kernel, which contain its release."""
    for name in names:
        path = machine / name.format(release)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(release)


def test_the_newest_installed_kernel_replaces_a_running_one_without_the_module(tmp_path, monkeypatch):
    """This holds only if no kernel was asked for, and if the checkout has not built the module for its own kernel."""
    monkeypatch.setattr(trial, "MACHINE", tmp_path)
    image, module = "boot/vmlinuz-{}", "lib/modules/{}/updates/dkms/limpet.ko"
    put_kernel(tmp_path, "6.1.0-9-amd64", image, module)
    put_kernel(tmp_path, "6.1.0-10-amd64", image, module)
    put_kernel(tmp_path, "6.1.0-11-amd64", image, "lib/modules/{}/modules.dep")
    put_kernel(tmp_path, "6.1.0-12-amd64", module)
    kernel, found = trial.kernel_of(None, tmp_path, tmp_path)
    assert kernel.release == kernel.vmlinuz.read_text() == found.read_text() == "6.1.0-10-amd64"
    with pytest.raises(Refused, match="There is no limpet.ko for kernel "):
        trial.kernel_of("6.1.0-11-amd64", tmp_path, tmp_path)
    put_kernel(tmp_path, os.uname().release, image, module)
    assert trial.kernel_of(None, tmp_path, tmp_path)[0].release == os.uname().release


def test_a_machine_without_a_kernel_with_the_module(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "MACHINE", tmp_path)
    with pytest.raises(Refused, match="There is no limpet.ko for kernel "):
        trial.kernel_of(None, tmp_path, tmp_path)


def test_a_machine_without_the_programs_of_a_trial(tmp_path, monkeypatch):
    """A trial names the first program that is missing, and its package."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for program, package in trial.PROGRAMS.items():
        with pytest.raises(Refused, match=f"{program}.*apt install {package}"):
            trial.programs_check()
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    trial.programs_check()
