# SPDX-License-Identifier: GPL-2.0
"""Extracts the ELF file of a kernel's bzImage. QEMU starts it directly (PVH) and saves the time of decompression.

The kernel's own loader does not run, so the kernel is not at a random address (KASLR).
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

#: Offsets in the header of a bzImage (Linux: Documentation/arch/x86/boot.rst). The first field is the number of
#: 512-byte sectors before the loaded part, less one. The second is the offset of the compressed kernel in that part.
SETUP_SECTORS, PAYLOAD = 0x1f1, 0x248
#: Bytes of the uncompressed size, which is stored at the end of the compressed kernel.
SIZE = 4
#: Seconds after which an unused file is removed.
STALE = 7 * 86400


def image(kernel: Kernel) -> Path:
    """Returns the file that QEMU must start: the ELF file, or the bzImage if the kernel has no CONFIG_PVH.

    QEMU also starts the bzImage of Debian's cloud kernels. They use LZ4, which Python lacks, and decompress quickly.
    """
    config = kernel.config.read_text()
    if "CONFIG_PVH=y\n" not in config or "CONFIG_KERNEL_LZ4=y\n" in config:
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
    """Returns the ELF file in the content of a bzImage; raises ValueError if it is not found."""
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
