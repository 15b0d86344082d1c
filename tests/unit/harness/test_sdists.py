# SPDX-License-Identifier: GPL-2.0
"""Tests the download of source distributions with a local folder in place of pip's index."""

import hashlib
import io
import tarfile

import pytest

from tests.harness import cache, sdists

SETUP = "from setuptools import setup\nsetup(name='tiny', version='1.0')\n"


@pytest.fixture(name="archive")
def make_archive(tmp_path, monkeypatch):
    """Returns the archive of package tiny, which is the only one that pip finds. The cache is empty."""
    index = tmp_path / "index"
    index.mkdir()
    archive = index / "tiny-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as to:
        for name, text in (("setup.py", SETUP), ("PKG-INFO", "Metadata-Version: 1.0\nName: tiny\nVersion: 1.0\n")):
            member = tarfile.TarInfo(f"tiny-1.0/{name}")
            member.size = len(text)
            to.addfile(member, io.BytesIO(text.encode()))
    for name, value in {"LIMPET_CACHE": tmp_path / "cache", "PIP_NO_INDEX": 1, "PIP_FIND_LINKS": index,
                        "PIP_NO_BUILD_ISOLATION": 0}.items():
        monkeypatch.setenv(name, str(value))
    expect(monkeypatch, hashlib.sha256(archive.read_bytes()).hexdigest())
    return archive


def expect(monkeypatch, digest):
    """Makes fetch() know package tiny, with that checksum."""
    monkeypatch.setattr(sdists, "SDISTS", {"tiny": sdists.Sdist("1.0", digest)})


def test_fetched_once(archive):
    folder = sdists.fetch("tiny")
    assert (folder / "setup.py").read_text() == SETUP
    archive.unlink()
    assert sdists.fetch("tiny") == folder


def test_other_archive(archive, monkeypatch, capsys):
    """An archive with another checksum is not unpacked."""
    expect(monkeypatch, 64 * "0")
    with pytest.raises(RuntimeError, match="pip download"):
        sdists.fetch("tiny")
    assert "DO NOT MATCH THE HASHES" in capsys.readouterr().err
    assert not list((cache.cache_dir() / "sources").iterdir())
    assert archive.exists()


def test_not_found(archive):
    archive.unlink()
    with pytest.raises(RuntimeError, match="pip download"):
        sdists.fetch("tiny")


def test_without_pip(archive, monkeypatch):
    assert archive.exists()
    monkeypatch.setattr(sdists.sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="`/bin/false -m pip download"):
        sdists.fetch("tiny")


def test_unknown(monkeypatch, tmp_path):
    monkeypatch.setenv("LIMPET_CACHE", str(tmp_path))
    with pytest.raises(RuntimeError, match="no source distribution other: use one of pysoem"):
        sdists.fetch("other")


def test_usage(capsys):
    assert sdists.main([]) == 2
    assert "python3 -m tests.harness.sdists pysoem" in capsys.readouterr().err
