# SPDX-License-Identifier: BSD-2-Clause
"""Tests that symbols and unwind records are found, and match the code."""

import re
import subprocess
from types import SimpleNamespace

import good
import pytest
import support
from tools.compose import link, unwind

BASE = link.BASE + 4 * link.STRIDE  # the client of good.py: 99 bytes of code
DEEP = """
typedef unsigned long word;
#define ALONE __attribute__((noipa))
ALONE void use(word *values) { values[3] = values[4] = values[0] - values[1]; }
word leaf(word a) { return a * 3 + 1; }
ALONE word middle(word a, word b)
{
	word values[9] = { a, b };
	use(values);
	return values[3] + leaf(values[4]);
}
word outer(word n)
{
	word a = middle(n, 1), b = middle(a, n), c = middle(a, b);
	return a ^ b ^ middle(c, n);
}
word vary(word n) { word values[n]; use(values); return values[0]; }
"""
ASM = """
	.section .note.GNU-stack, "", @progbits
	.text
	.globl by_hand, silent
	.type by_hand, @function
by_hand:
	.cfi_startproc
	sub $24, %rsp
	.cfi_def_cfa_offset 32
	nop
	add $24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.type silent, @function
	.balign 64
silent:
	push %rax
	pop %rax
	ret
"""


@pytest.fixture(scope="module")
def tool(tmp_path_factory):
    folder = tmp_path_factory.mktemp("symbols")
    (folder / "good.limpet").write_bytes(good.pack())
    result = support.run("gcc", "-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-Ishared", "-Iinclude",
                         "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o",
                         folder / "symbols", "tests/unit/image/symbols.c", *support.CHECKER)
    assert result.returncode == 0, result.stderr
    return lambda *addresses: support.run(
        folder / "symbols", folder / "good.limpet", 4,
        *map(hex, addresses)).stdout.splitlines()


def test_found(tool):
    """Each symbol and record is valid up to the next one. Addresses outside of code have neither."""
    start, f, g = (f"{name} {BASE + at:#x}" for name, at in
                   (("start", 0), ("f", 16), ("g" * 63, 40)))
    assert tool(BASE, BASE + 15, BASE + 16, BASE + 39, BASE + 40, BASE + 98) == [
        f"{start} 8", f"{start} 8", f"{f} 8", f"{f} -1", f"{g} {1 << 20}", f"{g} {1 << 20}"]
    assert tool(BASE + 17, BASE + 19, BASE + 20) == [f"{f} 16", f"{f} 16", f"{f} -1"]
    assert tool(BASE - 1, BASE + 99, BASE + good.PAGE, 0, (1 << 64) - 1) == ["- 0 -1"] * 5


def build(tmp_path, *flags):
    """Builds a program that is linked like a component. Returns (path, functions, unwind records, base)."""
    (tmp_path / "deep.c").write_text(DEEP)
    (tmp_path / "hand.s").write_text(ASM)
    objects = []
    for name in ("deep.c", "hand.s"):
        objects.append(tmp_path / f"{name}.o")
        subprocess.run(["gcc", "-O2", "-ffreestanding", "-fomit-frame-pointer", "-fpie",
                        "-fno-stack-protector", "-mgeneral-regs-only", *flags, "-c", tmp_path / name,
                        "-o", objects[-1]], check=True)
    whole = tmp_path / "whole.o"
    subprocess.run(["ld", "-r", *objects, "-o", whole], check=True)
    linked = link.link(SimpleNamespace(index=2, wires=[], unwired=[], numbers={}, update=0,
                                       definition=SimpleNamespace(libc=False, cxx=False, package=None, each_thread=0)),
                       whole, tmp_path, 0)
    text = link.segments(linked, SimpleNamespace(update=0))[0]
    return linked, *unwind.read(linked, text.address, text.address + len(text.data)), text.address


def frame_at(unwinds, offset):
    found = [frame for at, frame in unwinds if at <= offset]
    return found[-1] if found else unwind.UNKNOWN


def straight(path, name):
    """Returns [(address, bytes from rsp to the caller's frame)] of a function up to its first jump."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}", path],
                          text=True, capture_output=True, check=True).stdout
    frame, found = 8, []
    for address, code in re.findall(r"^ *([0-9a-f]+):\t(.*)$", text, re.M):
        found.append((int(address, 16), frame))
        moved = re.match(r"(sub|add) +\$0x([0-9a-f]+),%rsp|(push|pop) ", code)
        if code.startswith(("j", "ret")):
            break
        if moved and moved[1]:
            frame += int(moved[2], 16) * (1 if moved[1] == "sub" else -1)
        elif moved:
            frame += 8 if moved[3] == "push" else -8
    return found


@pytest.mark.parametrize("flags", [["-fasynchronous-unwind-tables"],
                                   ["-fno-asynchronous-unwind-tables", "-g"]])
def test_frames_are_those_of_the_code(tmp_path, flags):
    """Frames from .eh_frame and .debug_frame equal the sums of pushes and subtractions in the code."""
    path, functions, unwinds, base = build(tmp_path, *flags)
    begin = {name: at for at, name in functions}
    checked = 0
    for name in ("leaf", "middle", "outer", "use"):
        for address, frame in straight(path, name):
            assert frame_at(unwinds, address - base) == frame, (name, hex(address))
            checked += frame > 8
    assert checked > 10
    assert frame_at(unwinds, begin["vary"] + 20) == unwind.UNKNOWN  # it moves rsp by n
    assert unwinds == sorted(set(unwinds))


def test_assembly(tmp_path):
    """The frame of assembly code is known only with CFI."""
    _, functions, unwinds, _ = build(tmp_path, "-fasynchronous-unwind-tables")
    begin = {name: at for at, name in functions}
    hand, silent = begin["by_hand"], begin["silent"]
    assert [frame_at(unwinds, hand + n) for n in (0, 4, 5, 9)] == [8, 32, 32, 8]
    assert [frame_at(unwinds, silent + n) for n in (0, 1, 2)] == [unwind.UNKNOWN] * 3


def test_names(tmp_path):
    """The alphabetically first of two names of one function is used. Long names are truncated."""
    (tmp_path / "names.c").write_text(f"void b(void) {{}}\nvoid a(void) __attribute__((alias(\"b\")));\n"
                                      f"void {'l' * 100}(void) {{}}\nint data;\n")
    subprocess.run(["gcc", "-O2", "-ffreestanding", "-c", tmp_path / "names.c", "-o",
                    tmp_path / "names.o"], check=True)
    linked = link.link(SimpleNamespace(index=0, wires=[], unwired=[], numbers={}, update=0,
                                          definition=SimpleNamespace(libc=False, cxx=False, package=None, each_thread=0)),
                       tmp_path / "names.o", tmp_path, 0)
    text = link.segments(linked, SimpleNamespace(update=0))[0]
    functions, _ = unwind.read(linked, text.address, text.address + len(text.data))
    assert [name for _, name in functions] == ["a", "l" * 63]
