# SPDX-License-Identifier: GPL-2.0
"""Adds Python to a guest: Debian's interpreter, its library in one archive, and Limpet's package in it."""

import importlib.util
import io
import py_compile
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from .initramfs import Initramfs

TOP = Path(__file__).parents[2]
LIBRARY = Path(sysconfig.get_path("stdlib"))
#: Parts that no program in a guest needs, which are most of the library.
WITHOUT = {"__pycache__", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter", "turtledemo",
           "unittest", "distutils", "asyncio", "email", "multiprocessing", "xml", "xmlrpc"}


def add(root: Initramfs) -> None:
    """Adds `python3` to the guest."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    root.program(f"python{version}")
    root.text("/usr/bin/python3", f'#!/bin/sh\nPYTHONHOME=/usr exec /usr/bin/python{version} "$@"\n')
    root.data(f"/usr/lib/python{version.replace('.', '')}.zip", archive())
    for library in (LIBRARY / "lib-dynload").glob("mmap.*.so"):
        root.file(library, f"/usr/lib/python{version}/lib-dynload/{library.name}")


def package(tree: Path = TOP) -> Path:
    """Returns the folder of Limpet's package: that of the checkout, or else the installed one.

    Raises FileNotFoundError if there is none.
    """
    if (tree / "python/limpet").is_dir():
        return tree / "python/limpet"
    found = importlib.util.find_spec("limpet")
    if not found or not found.origin:
        raise FileNotFoundError("the Python package limpet is not installed")
    return Path(found.origin).parent


def archive() -> bytes:
    """Returns the library as an archive of compiled files, because compiling takes seconds in the guest."""
    out, limpet = io.BytesIO(), package()
    with zipfile.ZipFile(out, "w") as to, tempfile.TemporaryDirectory() as folder:
        for base, top in ((LIBRARY, LIBRARY), (limpet.parent, limpet)):
            for source in sorted(top.rglob("*.py")):
                name = source.relative_to(base)
                if WITHOUT.isdisjoint(name.parts) and "dist-packages" not in name.parts:
                    made = py_compile.compile(source, f"{folder}/it.pyc", str(name), doraise=True)
                    to.write(made, name.with_suffix(".pyc"))
    return out.getvalue()
