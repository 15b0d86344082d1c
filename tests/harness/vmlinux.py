# SPDX-License-Identifier: GPL-2.0
"""The ELF file inside a kernel's bzImage: QEMU starts it directly (PVH), without seconds of decompression.

It is the same kernel, but its own loader does not run, so it is not at a random address (KASLR).
"""

import gzip
import hashlib
import lzma
import os
import struct
import subprocess
import time
from pathlib import Path

from .cache import cache_dir, locked
from .kernels import Kernel

#: In the header of a bzImage (Linux: Documentation/arch/x86/boot.rst): 512-byte sectors before the part that is
#: loaded, and where in that the compressed kernel is.
SETUP_SECTORS, PAYLOAD = 0x1f1, 0x248
#: The compressed kernel ends with its size.
SIZE = 4
#: Seconds after which a file that was not used may go.
STALE = 7 * 86400


def image(kernel: Kernel) -> Path:
    """What QEMU is to start: the ELF file, or the bzImage of a kernel that is not made for PVH."""
    if "CONFIG_PVH=y\n" not in kernel.config.read_text():
        return kernel.vmlinuz
    content = kernel.vmlinuz.read_bytes()
    found = cache_dir() / f"vmlinux-{kernel.flavour}-{hashlib.sha256(content).hexdigest()[:16]}"
    with locked(f"vmlinux-{kernel.flavour}"):
        if not found.exists():
            for older in cache_dir().glob(f"vmlinux-{kernel.flavour}-*"):
                if older.stat().st_mtime < time.time() - STALE:
                    older.unlink()
            part = found.with_name(f"{found.name}.part")
            part.write_bytes(extracted(content))
            part.rename(found)
        os.utime(found)
    return found


def extracted(content: bytes) -> bytes:
    """The ELF file in the content of a bzImage."""
    offset, length = struct.unpack_from("<II", content, PAYLOAD)
    start = (content[SETUP_SECTORS] + 1) * 512 + offset
    elf = _decompressed(content[start:start + length - SIZE])
    if not elf.startswith(b"\x7fELF"):
        raise ValueError("the compressed kernel is not an ELF file")
    return elf


def _decompressed(data: bytes) -> bytes:
    if data.startswith(b"\xfd7zXZ"):
        return lzma.decompress(data)
    if data.startswith(b"\x1f\x8b"):
        return gzip.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    raise ValueError(f"a kernel is compressed in a way that is not known: {data[:6].hex()}")
