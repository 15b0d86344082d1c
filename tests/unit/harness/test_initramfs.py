# SPDX-License-Identifier: GPL-2.0
"""Tests the contents of archives, and that equal inputs make equal archives."""

import lzma
import subprocess
from pathlib import Path

import pytest

from tests.harness.initramfs import Initramfs
from tests.harness.kernels import Kernel


def listing(archive: Path, folder: Path) -> list[str]:
    """Returns the files that cpio unpacks from an archive into a folder, without devices."""
    folder.mkdir()
    with open(archive, "rb") as source:
        return subprocess.run(["cpio", "-it", "--quiet"], stdin=source, check=True,
                              capture_output=True, text=True, cwd=folder).stdout.split()


def test_archive_is_deterministic_and_sorted(tmp_path):
    """The same inputs make the same bytes, for any order of the calls."""
    for name, guests in (("a", ("/x/one", "/x/two")), ("b", ("/x/two", "/x/one"))):
        root = Initramfs()
        for guest in guests:
            root.text(guest, f"I am {guest}\n")
        root.write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    names = listing(tmp_path / "a", tmp_path / "out")
    assert names == sorted(names)
    assert {"init", "x", "x/one", "bin/busybox", "limpet/verdict.sh"} <= set(names)


def test_program_brings_its_libraries():
    """A dynamic program is added with its loader and C library."""
    root = Initramfs()
    root.program("ls")
    assert "usr/bin/ls" in root.nodes
    assert "lib64/ld-linux-x86-64.so.2" in root.nodes
    assert any(name.endswith("libc.so.6") for name in root.nodes)


def test_missing_program_is_named():
    """A missing program is an error with its name."""
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        Initramfs().program("no-such-program")


@pytest.fixture
def kernel(tmp_path) -> Kernel:
    """Makes a kernel with three modules in a chain, and a built-in one."""
    (tmp_path / "modules.dep").write_text("a/top.ko: a/mid-dle.ko.xz a/base.ko\n"
                                          "a/mid-dle.ko.xz: a/base.ko\na/base.ko:\n")
    (tmp_path / "modules.builtin").write_text("kernel/inside.ko\n")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/top.ko").write_bytes(b"top")
    (tmp_path / "a/base.ko").write_bytes(b"base")
    (tmp_path / "a/mid-dle.ko.xz").write_bytes(lzma.compress(b"middle"))
    return Kernel("test", "1.2", tmp_path, tmp_path, tmp_path, tmp_path, tmp_path)


def test_modules_load_after_what_they_need(kernel):
    """Each module is added once, decompressed, and after its dependencies."""
    root = Initramfs()
    root.modules(kernel, ["top", "mid_dle", "inside"])
    order = root.nodes["limpet/modules"][1].decode().split()
    assert [Path(name).name for name in order] == ["base.ko", "mid-dle.ko", "top.ko"]
    assert root.nodes["lib/modules/1.2/a/mid-dle.ko"][1] == b"middle"


def test_missing_module_is_named(kernel):
    """A module that the kernel does not have is an error."""
    with pytest.raises(FileNotFoundError, match="no module absent"):
        Initramfs().modules(kernel, ["absent"])
