# SPDX-License-Identifier: BSD-2-Clause
"""Tests the linker script, the stubs and the refusals of C++ programs, without the C++ library."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

TREE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TREE))

from tools.compose import interface, libcxx, link, musl, stub_client, stub_server  # noqa: E402

CODE = """\
extern "C" { void __limpet_start() {} int sum; }
int throws(int n) { if (n) throw n; return 1; }
int catches(int n) { try { return throws(n); } catch (...) { return 2; } }
__attribute__((section("__lcxx_override"))) int replaceable(int n) { return n + 1; }
struct Late { Late() { sum = sum * 2 + 1; } } late;
__attribute__((init_priority(200))) struct Early { Early() { sum = 5; } } early;
"""
#: The functions that the compiler calls for exceptions. They are not called here.
SUPPORT = """\
int __cxa_allocate_exception, __cxa_throw, __cxa_begin_catch, __cxa_end_catch, _Unwind_Resume, __gxx_personality_v0, _ZTIi;
"""
#: The fields of a definition that the linker reads.
DEFINITION = {"libc": "musl", "package": None, "each_thread": 0}


def link_program(folder, cxx, **files):
    """Compiles sources {name_suffix: text} and links them as a C++ program or as a C program. Returns the ELF file."""
    for name, text in files.items():
        source = folder / name.replace("_", ".")
        source.write_text(text)
        subprocess.run(["g++" if source.suffix == ".cpp" else "gcc", "-O2", "-ffreestanding", "-fpie", "-fno-stack-protector",
                        "-c", source, "-o", source.with_suffix(".o")], check=True)
    subprocess.run(["ld", "-r", *folder.glob("*.o"), "-o", folder / "whole"], check=True)
    instance = SimpleNamespace(index=0, wires=[], unwired=[], numbers={}, update=0,
                               definition=SimpleNamespace(cxx=cxx, **DEFINITION))
    return link.link(instance, folder / "whole", folder, 0)


def test_sections_of_cpp_are_loaded(tmp_path):
    with open(link_program(tmp_path, True, code_cpp=CODE, support_c=SUPPORT), "rb") as file:
        elf = ELFFile(file)
        [constants] = [part for part in elf.iter_segments() if part["p_type"] == "PT_LOAD" and part["p_flags"] == 4]
        symbols = {symbol.name: symbol["st_value"] for symbol in elf.get_section_by_name(".symtab").iter_symbols()}
        for name in (".eh_frame", ".eh_frame_hdr", ".gcc_except_table"):
            section = elf.get_section_by_name(name)
            assert section["sh_flags"] & SH_FLAGS.SHF_ALLOC and constants.section_in_segment(section), name
        for name, begin in ((".eh_frame", "__eh_frame_start"), (".eh_frame_hdr", "__eh_frame_hdr_start")):
            section = elf.get_section_by_name(name)
            assert symbols[begin] == section["sh_addr"]
            assert symbols[begin.replace("start", "end")] == section["sh_addr"] + section["sh_size"]
        [functions] = [part for part in elf.iter_segments() if part["p_type"] == "PT_LOAD" and part["p_flags"] == 5]
        assert functions.section_in_segment(elf.get_section_by_name("__lcxx_override"))
        # The header has a table that can be searched: version 1, and one entry for each of the functions.
        header = elf.get_section_by_name(".eh_frame_hdr").data()
        assert header[0] == 1 and int.from_bytes(header[8:12], "little") >= 2


def test_constructors_are_called_in_the_order_of_their_priorities(tmp_path):
    with open(link_program(tmp_path, True, code_cpp=CODE, support_c=SUPPORT), "rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        at = table.get_symbol_by_name("__init_array_start")[0]["st_value"]
        end = table.get_symbol_by_name("__init_array_end")[0]["st_value"]
        data = elf.get_section_by_name(".data")
        words = data.data()[at - data["sh_addr"]:end - data["sh_addr"]]
        names = {symbol["st_value"]: symbol.name for symbol in table.iter_symbols()}
        called = [names[int.from_bytes(words[n:n + 8], "little")] for n in range(0, len(words), 8)]
    assert [".00200" in name for name in called] == [True, False], called


def test_a_c_program_has_no_loaded_tables(tmp_path):
    with open(link_program(tmp_path, False, x_c="void __limpet_start(void) {}\n"), "rb") as file:
        elf = ELFFile(file)
        assert not elf.get_section_by_name(".eh_frame")["sh_flags"] & SH_FLAGS.SHF_ALLOC
        assert not elf.get_section_by_name(".eh_frame_hdr")


def test_stubs_and_headers_compile_as_cpp(tmp_path):
    """The program uses all interfaces of the tree, as a client and as a server."""
    lines = [f"#include <runtime/{name}.h>\n" for name in ("component", "print", "thread")]
    for path in sorted((TREE / "interfaces").glob("*/interface.toml")):
        found = interface.find(path.parent.name, [TREE / "interfaces"])
        for side, text in (("import", stub_client.header(found)), ("export", stub_server.header(found))):
            interface.write(tmp_path / side / f"{path.parent.name}.h", text)
            lines.append(f"#include <{side}/{path.parent.name}.h>\n")
    assert len(lines) > 20
    (tmp_path / "all.cpp").write_text("".join(lines))
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", *musl.FLAGS, *libcxx.KEYWORDS, f"-I{tmp_path}",
                    *(f"-I{TREE / folder}" for folder in ("lib", "shared", "include")), "-fsyntax-only",
                    tmp_path / "all.cpp"], check=True)


def component(folder, libc=True):
    """Writes a C++ component. Returns its folder."""
    path = folder / "odd"
    path.mkdir()
    (path / "odd.cpp").write_text("int main() { return 0; }\n")
    words = ['[component]\nname = "odd"\ndoc = "Odd."\nthread = true\npriority = 5\n', 'libc = "musl"\n' if libc else "",
             '[imports]\nsched = "sched"\nlog = "log"\nmem = "mem"\n']
    (path / "component.toml").write_text("".join(words))
    return path


def refusal(folder, **environment):
    """Builds a component that is refused. Returns the message, which is one line."""
    done = subprocess.run([TREE / "tools/limpet-component", folder, "-o", folder.parent / "odd.o"], capture_output=True,
                          text=True, check=False, cwd=folder.parent, env={"PATH": "/usr/bin:/bin", "HOME": str(folder.parent),
                                                                        **environment})
    assert done.returncode == 1 and not (folder.parent / "odd.o").exists()
    [line] = [line for line in done.stderr.splitlines() if line.startswith("limpet-component: ")]
    assert "Traceback" not in done.stderr
    return line


def test_cpp_without_a_c_library_is_refused(tmp_path):
    line = refusal(component(tmp_path, libc=False))
    assert "[component/sources]: 'sources' contains the C++ source odd.cpp, but there is no libc" in line and 'Write libc = "musl"' in line


def test_sources_that_apt_cannot_fetch_are_refused(tmp_path):
    """On a machine without a source of Debian's archive, the message names the file, and where to put a copy."""
    (tmp_path / "apt.conf").write_text('Dir::Etc "/nonexistent";\n')
    line = refusal(component(tmp_path), APT_CONFIG=str(tmp_path / "apt.conf"), LIMPET_CACHE=str(tmp_path / "cache"))
    assert "Their library is built from Debian's llvm-toolchain-" in line and "apt cannot download" in line
    assert f"or copy the file from another machine to {tmp_path}/cache/sources/" in line


def test_another_file_in_place_of_the_sources_is_refused(tmp_path):
    folder = tmp_path / "cache/sources"
    folder.mkdir(parents=True)
    for release in libcxx.RELEASES.values():
        (folder / release.file).write_text("not an archive")
    line = refusal(component(tmp_path), LIMPET_CACHE=str(tmp_path / "cache"))
    assert "its SHA-256 differs" in line and "Remove it or copy it again" in line


@pytest.mark.parametrize("text, expect", [
    ("exit 1", "does not run"),
    ("echo 9.4.0", "no library is known for"),
    ("echo clang version 14", "no library is known for"),
])
def test_compilers_without_a_library_are_refused(tmp_path, text, expect):
    (tmp_path / "odd++").write_text(f"#!/bin/sh\n{text}\n")
    (tmp_path / "odd++").chmod(0o755)
    line = refusal(component(tmp_path), CXX=str(tmp_path / "odd++"), LIMPET_CACHE=str(tmp_path / "cache"))
    assert "are C++, but" in line and expect in line and "CXX" in line
