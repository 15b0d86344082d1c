# SPDX-License-Identifier: GPL-2.0
"""Tests that the addresses of packages come from the machine's apt, not from this tree."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.harness import archive, suites

TOP = Path(__file__).parents[3]

ONE_LINE = """\
deb [arch=amd64] file:/srv/mirror/debian/ trixie main contrib
deb-src file:/srv/mirror/debian/ trixie main
deb file:/srv/other/apt nodistro main
"""
DEB822 = """\
Types: deb
URIs: file:/srv/mirror/debian file:/srv/second/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: mirror+file:/etc/apt/mirrors/security.list
Suites: bookworm-security
Components: main
"""


@pytest.fixture
def apt(tmp_path, monkeypatch):
    """Makes a test folder that the machine's apt reads instead of /etc/apt."""
    (tmp_path / "sources.list.d").mkdir()
    for folder in ("lists/partial", "archives/partial"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "apt.conf").write_text(f'Dir::Etc "{tmp_path}";\nDir::Cache "{tmp_path}";\n')
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    return tmp_path


def test_one_line_sources(apt):
    """A .list file can have options, a slash at the end, and a suite of another distribution."""
    (apt / "sources.list").write_text(ONE_LINE)
    assert archive.bases("bookworm") == ["file:/srv/mirror/debian"]
    assert archive.bases("bookworm-security") == ["file:/srv/mirror/debian-security"]


def test_deb822_sources(apt):
    """A .sources file can have several addresses, mirrors from a file, and a separate security archive."""
    (apt / "sources.list.d/debian.sources").write_text(DEB822)
    assert sorted(archive.bases("trixie-backports")) == [
        "file:/srv/mirror/debian", "file:/srv/second/debian"]
    assert archive.bases("trixie-security") == ["mirror+file:/etc/apt/mirrors/security.list"]


def test_no_source_of_debian(apt):
    """A machine without a Debian source is refused, with the remedy."""
    (apt / "sources.list").write_text("deb file:/srv/other/apt nodistro main\n")
    with pytest.raises(RuntimeError, match="no source of Debian's archive, which bookworm is in: add one"):
        archive.bases("bookworm")


def test_each_archive_is_tried():
    """If an archive fails, the next one is tried. If all fail, the last error is raised."""
    seen = []

    def attempt(bases):
        seen.append(bases)
        if bases != ("b", "d"):
            raise RuntimeError(f"not {bases}")

    archive.first_that_works([["a", "b"], ["c", "d"]], attempt)
    assert seen == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    with pytest.raises(RuntimeError, match="not"):
        archive.first_that_works([["a"], ["c"]], attempt)


def test_configuration_is_apart(tmp_path):
    """apt accepts the configuration. It uses the suite's lists, status and sources, and no hooks of the machine."""
    (tmp_path / "apt.conf").write_text(suites.CONFIGURATION.format(tmp_path))
    said = subprocess.run(["apt-config", "-c", tmp_path / "apt.conf", "dump"],
                          check=True, capture_output=True, text=True).stdout
    for name in ("Dir::State::Lists", "Dir::State::Status", "Dir::Cache::Archives", "Dir::Etc::SourceList"):
        [value] = re.findall(rf'^{name} "(.*)";$', said, re.M | re.I)
        assert value.startswith(str(tmp_path)), name
    assert 'Dir::Etc::sourceparts "/dev/null";' in said
    assert not re.search(r'^APT::Update::Post-Invoke\S* "[^"]', said, re.M)


def test_unpacking_goes_through_links(tmp_path):
    """Files that an older suite has in /lib are unpacked into /usr/lib."""
    package = tmp_path / "package"
    (package / "DEBIAN").mkdir(parents=True)
    (package / "DEBIAN/control").write_text(
        "Package: it\nVersion: 1\nArchitecture: all\nMaintainer: it\nDescription: it\n")
    (package / "lib/modules").mkdir(parents=True)
    (package / "lib/modules/x").write_text("x")
    subprocess.run(["dpkg-deb", "-b", package, tmp_path / "it.deb"], check=True, capture_output=True)
    suites.merged(tmp_path / "root")
    suites.unpack(tmp_path / "it.deb", tmp_path / "root")
    assert (tmp_path / "root/usr/lib/modules/x").read_text() == "x"
    assert (tmp_path / "root/lib").is_symlink()


def test_no_address_in_the_tree():
    """No file of the tree contains the host name of a package archive."""
    found = subprocess.run(["grep", "-rnIE", "--exclude-dir=build", "--exclude-dir=.git",
                            r"debian[.](org|net)", "."], cwd=TOP, capture_output=True, text=True)
    assert found.returncode == 1, found.stdout + found.stderr
