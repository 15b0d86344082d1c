# SPDX-License-Identifier: BSD-2-Clause
"""Built components that cannot be composed, files that are not what they should be."""

import shutil
import subprocess

import pytest
import support
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

SMALL = support.TREE / "systems" / "small.toml"
START = "__attribute__((section(\".text.start\"))) void __limpet_start(void) {}\n"


def compose_with(tmp_path, code, *flags):
    """Composes the small system with a scheduler made of `code`."""
    objects = tmp_path / "objects"
    shutil.copytree(support.BUILD / "components", objects, ignore=shutil.ignore_patterns("*.d"))
    (tmp_path / "x.c").write_text(code)
    subprocess.run(["gcc", "-ffreestanding", "-fpie", "-O2", "-fno-asynchronous-unwind-tables",
                    *flags, "-c", tmp_path / "x.c", "-o", objects / "sched.mini.o"], check=True)
    return support.compose(SMALL, "--objects", objects, "-o", tmp_path / "out.limpet")


@pytest.mark.parametrize("code, flags, expect", [
    ("int x;\n", [], "does not define __limpet_start"),
    (START + "int missing(void);\nint f(void) { return missing(); }\n", [],
     "'missing' is not defined"),
    (START + "asm(\"movq $__limpet_import_mem_map, %rax\");\n", [],
     "invokes mem_map, which no import"),
    (START + "__thread int x = 5;\nint f(void) { return x; }\n", ["-ftls-model=local-exec"],
     "cannot be linked: error: unplaced orphan section `.tdata'"),
    (START + "static int a(void) { return 1; }\nstatic void *r(void) { return a; }\n"
     "int f(void) __attribute__((ifunc(\"r\")));\nint g(void) { return f(); }\n", [],
     "addresses known at run time only"),
    (START + "char big[0x20000000];\n", [], "exceeds its addresses by"),
    (START, ["-m32"], "is for EM_386"),
])
def test_object_is_refused(built, tmp_path, code, flags, expect):
    assert expect in support.only_line(compose_with(tmp_path, code, *flags))
    assert not (tmp_path / "out.limpet").exists()


def test_files_for_gdb(built, tmp_path):
    """The image is the same with them. No loaded section is outside of the segments."""
    first, second, folder = tmp_path / "first.limpet", tmp_path / "second.limpet", tmp_path / "debug"
    assert support.compose(SMALL, "-o", first).returncode == 0
    result = support.compose(SMALL, "-o", second, "--debug", folder)
    assert result.returncode == 0, result.stderr
    assert first.read_bytes() == second.read_bytes()
    names = {path.name for path in folder.iterdir()}
    assert "booter.elf" in names and len(names) > 1
    for name in names:
        with open(folder / name, "rb") as file:
            elf = ELFFile(file)
            assert elf.get_section_by_name(".debug_line").data_size, name
            assert not elf.get_section_by_name(".eh_frame")["sh_flags"] & SH_FLAGS.SHF_ALLOC, name


def test_export_is_missing(built, tmp_path):
    """The small system imports nothing; in full.toml somebody invokes the scheduler."""
    result = compose_with(tmp_path, START)
    assert result.returncode == 0, result.stderr
    result = support.compose(support.TREE / "systems" / "full.toml", "--objects",
                             tmp_path / "objects", "-o", tmp_path / "second.limpet")
    assert "does not define __limpet_export_clock_now" in support.only_line(result)


@pytest.mark.parametrize("data", [b"", b"text", b"\x7fELF" + b"\xff" * 200,
                                  b"\x7fELF\x02\x01\x01" + b"\0" * 57])
def test_object_is_no_elf_file(built, tmp_path, data):
    compose_with(tmp_path, START)
    (tmp_path / "out.limpet").unlink()
    (tmp_path / "objects" / "sched.mini.o").write_bytes(data)
    result = support.compose(SMALL, "--objects", tmp_path / "objects", "-o",
                             tmp_path / "out.limpet")
    support.only_line(result)


def test_damaged_objects(built, tmp_path):
    """Every 97th byte of an object changed: composed or refused, never a traceback."""
    compose_with(tmp_path, START)
    path = tmp_path / "objects" / "sched.mini.o"
    good = path.read_bytes()
    for at in range(0, len(good), 97):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0xff]) + good[at + 1:])
        result = support.compose(SMALL, "--objects", tmp_path / "objects")
        if result.returncode:
            support.only_line(result)


def test_no_such_file(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        support.only_line(support.run("tools/limpet-compose", path))


def test_check_without_file(built, tmp_path):
    support.only_line(support.run("tools/limpet-compose", "--check", tmp_path / "none"))
    support.only_line(support.run("tools/limpet-compose", "--check", tmp_path))


def test_component_that_does_not_compile(built, tmp_path):
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "component.toml").write_text('[component]\nname = "bad"\ndoc = "Bad."\n')
    (folder / "main.c").write_text("this is no C\n")
    result = support.run("tools/limpet-component", folder, "-o", tmp_path / "bad.o", "--runtime",
                         support.BUILD / "lib")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "main.c:[build]: 'gcc' failed" in result.stderr.splitlines()[-1]
    assert not (tmp_path / "bad.o").exists()
