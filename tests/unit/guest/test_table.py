# SPDX-License-Identifier: GPL-2.0
"""Tests that the table of system calls has each call of the kernel's headers, and that its TOML files match these."""

import re
import shutil
from pathlib import Path

import pytest

from tests.harness import kernels
from tools.compose.errors import Refused
from tools.guest import emit, kinds
from tools.guest.__main__ import FOLDER, Model

ROOT = Path(__file__).parents[3]
#: Functions that no prototype of these headers describes, with their parameters in the kernel's sources.
OTHERS = {"modify_ldt": 3, "arch_prctl": 2, "iopl": 1, "rt_sigreturn": 0}


@pytest.fixture(scope="module")
def build() -> Path:
    return kernels.headers("6.12")


@pytest.fixture(scope="module")
def model(build) -> Model:
    return Model(build)


def common(build) -> Path:
    [folder] = build.parent.glob("*-common")
    return folder


def counts(build) -> dict[str, set[int]]:
    """Returns the number of parameters in the prototypes of each function, read without the generator."""
    text = "".join((common(build) / f"include/{name}/syscalls.h").read_text() for name in ("linux", "asm-generic"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found: dict[str, set[int]] = {}
    for name, words in re.findall(r"asmlinkage long sys_(\w+)\(([^;]*)\);", text):
        found.setdefault(name, set()).add(0 if words.strip() == "void" else words.count(",") + 1)
    return found


def numbered(build) -> dict[str, int]:
    text = (build / "arch/x86/include/generated/uapi/asm/unistd_64.h").read_text()
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}


def test_every_number(build, model):
    """The table has exactly the numbers of <asm/unistd_64.h>, with their names."""
    wanted = numbered(build)
    end = wanted.pop("syscalls", None)
    assert {call.name: call.number for call in model.calls.values()} == wanted
    assert end is None or max(wanted.values()) < end
    written = emit.table(model.calls, model.sets, model.structs, model.values)
    assert {name: int(number) for number, name in re.findall(r'^\t\[(\d+)\] = { \.name = "(\w+)"', written, re.M)} == wanted


def test_every_count(build, model):
    """Each call has as many arguments as its prototype has parameters."""
    entries = dict(re.findall(r"__SYSCALL\w*\((\d+), sys_(\w+)", (build / "arch/x86/include/generated/asm/syscalls_64.h").read_text()))
    known = counts(build)
    wrong = []
    for call in model.calls.values():
        function = entries[str(call.number)]
        wanted = {0} if function == "ni_syscall" else {OTHERS[call.name]} if call.name in OTHERS else known[function]
        assert call.implemented == (function != "ni_syscall")
        if len(call.arguments) not in wanted:
            wrong.append(call.name)
    assert wrong == []


@pytest.mark.parametrize("flavour", ["6.1"])
def test_older_kernel(model, flavour):
    """Each call of an older kernel is in the table, with the same number."""
    older = numbered(kernels.headers(flavour))
    older.pop("syscalls", None)
    assert {name: number for name, number in older.items() if name not in model.calls or model.calls[name].number != number} == {}


def test_deterministic(build, model):
    again = Model(build)
    assert emit.table(again.calls, again.sets, again.structs, again.values) == \
        emit.table(model.calls, model.sets, model.structs, model.values)


def test_nothing_unused(model):
    """Each set and structure belongs to an argument, or the library names it."""
    values = [value for call in model.calls.values() for value in
              [*call.arguments, *(shown for variant in call.variants for shown in variant.shown)]]
    values += [field for struct in model.structs.values() for field in struct.fields]
    returns = [part.returns for call in model.calls.values() for part in [call, *call.variants]]
    used = {value.of for value in values} | {of for _, of in returns} | {emit.ERRORS}
    for file in FOLDER.glob("*.c"):
        used |= set(re.findall(r"GUEST_(?:SET|STRUCT)_(\w+)", file.read_text()))
    assert {*model.sets, *model.structs} - used == set()
    assert {value.kind for value in values} == set(kinds.KINDS)


def test_values_are_linux(model):
    """Checks some values that every x86-64 Linux has."""
    found = {name: dict(emit.sets_of.ordered(model.sets[name], model.values)) for name in ("O", "E", "SIG", "CLONE")}
    assert found["O"]["O_CLOEXEC"] == 0o2000000 and found["E"]["ENOENT"] == 2
    assert found["SIG"]["SIGKILL"] == 9 and found["CLONE"]["CLONE_VM"] == 0x100


WRONG = {
    "unknown call": ("calls.toml", 'read = {', 'reed = {', "[calls] has 'reed', which is not a call"),
    "unknown argument": ("calls.toml", 'read = { buf =', 'read = { buff =', "'read' has no argument 'buff'"),
    "unknown count": ("calls.toml", '"buffer out by count"', '"buffer out by conut"', "'read' has no argument 'conut'"),
    "unknown condition": ("calls.toml", '"mode if flags O_C', '"mode if flag O_C', "'open' has no argument 'flag'"),
    "unknown kind": ("calls.toml", '"buffer out by count"', '"bufer out by count"', "'bufer' is not a kind"),
    "unknown set": ("calls.toml", '"value SEEK"', '"value SEEKS"', "There is no set 'SEEKS'"),
    "unknown structure": ("calls.toml", '"struct stat out"', '"struct stats out"', "There is no struct 'stats'"),
    "words left": ("calls.toml", '"value SEEK"', '"value SEEK soon"', "'soon' has no meaning here"),
    "unknown result": ("calls.toml", '"mode" = ["umask"]', '"moed" = ["umask"]', "'moed' is not a kind of result"),
    "result of no call": ("calls.toml", '"mode" = ["umask"]', '"mode" = ["unmask"]', "[returns] has 'unmask'"),
    "prototype of no call": ("calls.toml", "iopl          =", "iopll         =", "'iopl' has no prototype"),
    "prototype too much": ("calls.toml", "iopl          =", 'iopll = "void"\niopl          =', "[prototypes] has 'iopll'"),
    "variant of no call": ("calls.toml", 'calls = ["clone"]', 'calls = ["clown"]', "There is no call 'clown'"),
    "variant of no argument": ("calls.toml", 'by = "cmd"', 'by = "command"', "has no argument 'command'"),
    "unknown name": ("sets.toml", '"O_EXCL",', '"O_EXCLUDE",', "cannot be compiled"),
    "unknown header": ("sets.toml", '"linux/memfd.h"', '"linux/memfdd.h"', "There is no such header"),
    "unknown type": ("sets.toml", '"enum sock_type {"', '"enum sock_types {"', "is not in this header"),
    "unknown field": ("structs.toml", '"tv_sec", "tv_nsec"', '"tv_sec", "tv_msec"', "cannot be compiled"),
    "unknown field kind": ("structs.toml", '"fd: fd", "events', '"fd: df", "events', "'df' is not a kind"),
    "no TOML": ("structs.toml", "[struct.int]", "[struct.int", "is not valid TOML"),
}


def test_no_headers(tmp_path):
    """Another folder with a Makefile is refused."""
    (tmp_path / "Makefile").write_text("all:\n")
    with pytest.raises(Refused, match="not from a package of kernel headers"):
        Model(tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_wrong(build, tmp_path, name):
    """A wrong entry is refused with one line that names the mistake and its place."""
    file, old, new, wanted = WRONG[name]
    for path in FOLDER.glob("*.toml"):
        shutil.copy(path, tmp_path)
    text = (tmp_path / file).read_text()
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new))
    with pytest.raises(Refused) as refused:
        Model(build, tmp_path)
    assert wanted in str(refused.value) and "\n" not in str(refused.value)
