# SPDX-License-Identifier: GPL-2.0
"""Tests how source packages get into the cache, with downloads that are simulated."""

import subprocess
from pathlib import Path

import pytest

from tests.harness import archive, sources


@pytest.fixture(name="cache")
def simulate(tmp_path, monkeypatch):
    """Returns an empty cache. Each downloaded file is an archive of the folder name-1.0 with one file."""
    (tmp_path / "name-1.0").mkdir()
    (tmp_path / "name-1.0/file").write_text("text")

    def download(_path, to, _digest):
        subprocess.run(["tar", "--create", f"--file={to}", f"--directory={tmp_path}", "name-1.0"], check=True)

    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("LIMPET_CACHE", str(cache))
    monkeypatch.setattr(archive, "download", download)
    monkeypatch.setattr(sources, "SOURCES", {"name": sources.Source("n/name", {"name_1.0.orig.tar.xz": "0"})})
    return cache


def test_archive_alone(cache):
    """A package without a .dsc is its authors' archive, without the archive's top folder."""
    tree = sources.fetch("name")
    assert tree == cache / "sources/name_1.0.orig"
    assert (tree / "file").read_text() == "text"
    assert [path.name for path in tree.parent.iterdir()] == ["name_1.0.orig"]


def test_failed_download(cache, monkeypatch):
    """A download that fails leaves no folder that looks complete."""
    def fails(_path, _to, _digest):
        raise RuntimeError("not found")

    monkeypatch.setattr(archive, "download", fails)
    with pytest.raises(RuntimeError, match="not found"):
        sources.fetch("name")
    assert not (cache / "sources/name_1.0.orig").exists()


def test_unknown_name(cache):
    """An unknown package is refused with the names of those that are known."""
    with pytest.raises(RuntimeError, match="no source package other: use one of name"):
        sources.fetch("other")
    assert not list(cache.iterdir())


def test_all_sources_are_complete():
    """Each package's first file is a .dsc or the only one, and each digest has 64 digits."""
    for name, source in sources.SOURCES.items():
        first = next(iter(source.files))
        assert first.endswith(".dsc") or len(source.files) == 1, name
        assert all(len(digest) == 64 for digest in source.files.values()), name
        assert Path(source.folder).name == name
