# SPDX-License-Identifier: GPL-2.0
"""Makes a kernel that stores the time stamp at its 32-bit entry point, where the work of the boot loader ends.

The boot protocol (Linux: Documentation/arch/x86/boot.rst) has a hook for that: code32_start, the address to jump to in
protected mode. Here this is the address of a few instructions behind the kernel. They store the time stamp in a field
that is unused on a PC, and continue at the entry point. The kernel itself is not changed. /sys/kernel/boot_params/data
contains the time stamp.
"""

import struct
from pathlib import Path

SETUP_SECTORS, SIGNATURE, LOADFLAGS, CODE32_START = 0x1f1, 0x202, 0x211, 0x214
LOADED_HIGH = 1
SECTOR = 512
#: In the parameters that esi points to: hardware_subarch_data, unused where hardware_subarch is PC.
NOTE = 0x240


def noted(kernel: bytes) -> bytes:
    """Returns the kernel's file with the hook."""
    if kernel[SIGNATURE:SIGNATURE + 4] != b"HdrS" or not kernel[LOADFLAGS] & LOADED_HIGH:
        raise ValueError("no bzImage")
    [entry] = struct.unpack_from("<I", kernel, CODE32_START)
    result = bytearray(kernel + b"\0" * (-len(kernel) % 16))
    setup = ((kernel[SETUP_SECTORS] or 4) + 1) * SECTOR
    struct.pack_into("<I", result, CODE32_START, entry + len(result) - setup)
    return bytes(result) + hook(entry)


def hook(entry: int) -> bytes:
    """rdtsc; mov %eax, NOTE(%esi); mov %edx, NOTE+4(%esi); mov $entry, %eax; jmp *%eax"""
    return (b"\x0f\x31" + b"\x89\x86" + struct.pack("<I", NOTE) + b"\x89\x96" +
            struct.pack("<I", NOTE + 4) + b"\xb8" + struct.pack("<I", entry) + b"\xff\xe0")


def write(vmlinuz: Path, to: Path) -> Path:
    """Writes the file of a kernel with the hook."""
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(noted(vmlinuz.read_bytes()))
    return to
