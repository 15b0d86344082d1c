# SPDX-License-Identifier: BSD-2-Clause
"""Packs a folder as a cpio archive of format newc. The same files result in the same bytes."""

from pathlib import Path

from .errors import Refused

FILE, FOLDER = 0o100444, 0o040555


def entry(number, name, mode, data):
    """Returns a header, name and contents, each padded to 4 bytes."""
    head = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(head), 0]
    text = b"070701" + b"".join(b"%08x" % field for field in fields) + head
    text += b"\0" * (-len(text) % 4)
    return text + data + b"\0" * (-len(data) % 4)


def pack(folder, file="ramdisk", translated=None):
    """Returns the archive of all files and folders below `folder`, in the order of their names. `file` is the system
    file that names the folder, for refusals. `translated` has the contents of files that are packed instead of their own.
    """
    parts, folder = [], Path(folder)
    for number, path in enumerate(sorted(folder.rglob("*"), key=lambda p: p.as_posix()), 1):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_dir() or path.is_file()):
            raise Refused(file, "system/ramdisk", f"'{path}' is neither a file nor a folder. A ramdisk contains only "
                          "files and folders. Remove it.")
        data = b"" if path.is_dir() else (translated or {}).get(name) or path.read_bytes()
        parts.append(entry(number, name, FOLDER if path.is_dir() else FILE, data))
    parts.append(entry(0, "TRAILER!!!", 0, b""))
    return b"".join(parts)
