# SPDX-License-Identifier: GPL-2.0
"""Tests the extraction of the kernel from a bzImage."""

import gzip
import lzma
import os
import struct
import subprocess

import pytest

from tests.harness import vmlinux
from tests.harness.kernels import Kernel

ELF = b"\x7fELF" + bytes(range(256)) * 4


def zstd(data: bytes) -> bytes:
    return subprocess.run(["zstd", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def bzimage(packed: bytes) -> bytes:
    """Returns a bzImage: three setup sectors, a hundred bytes of loader, the compressed kernel and its size."""
    content = bytearray(3 * 512 + 100)
    content[vmlinux.SETUP_SECTORS] = 2
    struct.pack_into("<II", content, vmlinux.PAYLOAD, 100, len(packed) + 4)
    return bytes(content) + packed + struct.pack("<I", len(ELF)) + b"more"


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress, zstd])
def test_extracted(pack):
    """Extracts kernels with the compressions of Debian's kernels and of our own one."""
    assert vmlinux.extracted(bzimage(pack(ELF))) == ELF


@pytest.mark.parametrize("packed, complaint", [(b"LZ4 or so", "not known: 4c5a34"), (lzma.compress(b"text"), "not an ELF")])
def test_refused(packed, complaint):
    """An unknown compression, or content that is not ELF, is refused with its name."""
    with pytest.raises(ValueError, match=complaint):
        vmlinux.extracted(bzimage(packed))


def test_image(tmp_path, monkeypatch):
    """A kernel is extracted once, and again if it changes. Old files are removed.

    Kernels without PVH or with LZ4 are not extracted.
    """
    monkeypatch.setenv("LIMPET_CACHE", str(tmp_path / "cache"))
    config, vmlinuz = tmp_path / "config", tmp_path / "vmlinuz"
    kernel = Kernel("6.1", "6.1.0", vmlinuz, tmp_path, tmp_path, config, tmp_path)
    config.write_text("# CONFIG_PVH is not set\n")
    vmlinuz.write_bytes(bzimage(lzma.compress(ELF)))
    assert vmlinux.image(kernel) == vmlinuz
    config.write_text("CONFIG_KERNEL_LZ4=y\nCONFIG_PVH=y\n")
    assert vmlinux.image(kernel) == vmlinuz
    config.write_text("CONFIG_PVH=y\n")
    first = vmlinux.image(kernel)
    assert first.read_bytes() == ELF and vmlinux.image(kernel) == first
    os.utime(first, (0, 0))
    vmlinuz.write_bytes(bzimage(lzma.compress(ELF + b"x")))
    second = vmlinux.image(kernel)
    assert second.read_bytes() == ELF + b"x" and not first.exists()
