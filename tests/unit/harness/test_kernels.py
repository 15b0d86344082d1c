# SPDX-License-Identifier: GPL-2.0
"""Tests the choice of kernels: a version's newest, the one that each flavour represents, those of `make test-all`."""

import re
from pathlib import Path

import pytest

from tests.harness.kernels import DEBUG, FLAVOURS, NEWER, STOCK, newest_name, packages_newer, represented
from tests.harness.property import MODES, discover

NAMES = ["linux-image-7.2.9+deb13-amd64", "linux-image-7.2.12+deb13-amd64", "linux-image-7.2.6-amd64",
         "linux-image-7.2.13+deb13-cloud-amd64", "linux-image-7.2.13+deb13-rt-amd64",
         "linux-image-7.2.14+deb13-amd64-dbg", "linux-image-7.21.30+deb13-amd64"]


def test_newest_of_a_version():
    """Releases count as numbers, and other kinds of kernels do not count."""
    assert newest_name(NAMES, "7.2") == "linux-image-7.2.12+deb13-amd64"
    assert newest_name(NAMES[:1], "7.2") == NAMES[0]


def test_version_is_gone():
    """The error names a version that the archive no longer has."""
    with pytest.raises(RuntimeError, match="no kernel 7.3 any more"):
        newest_name(NAMES, "7.3")


def test_each_flavour_represents_a_stock_kernel():
    """Properties name only stock kernels, but run on every flavour."""
    assert {represented(flavour) for flavour in FLAVOURS} == set(STOCK)
    assert (represented(DEBUG), represented("6.1-cloud"), represented("7.2")) == ("6.1", "6.1", "6.12")
    assert (represented("newest-rt"), represented("newest-cloud")) == ("6.12-rt", "6.12")


class Archive:
    """An archive with one kernel of each kind, in place of Suites."""

    def __init__(self, *kinds):
        self.kinds = kinds

    def depends(self, package, pattern):
        """Returns the packages that a package of the archive depends on and that match the pattern."""
        release = next((f"7.3.4-{kind}" for kind in self.kinds if package.endswith(f"4-{kind}")), "")
        if not release and (kind := package.removeprefix("linux-image-")) not in self.kinds:
            raise RuntimeError(f"there is no package {package}")
        names = {f"linux-image-{release}": [f"linux-{part}-{release}" for part in ("base", "binary", "modules")],
                 f"linux-headers-{release}": ["linux-headers-7.3.4-common", "linux-kbuild-7.3.4", "gcc-14-for-host"]}
        found = names[package] if release else [f"linux-image-7.3.4-{kind}"]
        return [name for name in found if re.fullmatch(pattern, name)]


@pytest.mark.parametrize("flavour", [flavour for flavour, (*_, version) in NEWER.items() if not version])
def test_packages_of_the_newest_kernel(flavour):
    """The packages are all of the same kind of kernel, except those that all kinds share."""
    suffix = NEWER[flavour][2]
    assert packages_newer(Archive("amd64", "rt-amd64", "cloud-amd64"), suffix, "") == [
        *(f"linux-{part}-7.3.4-{suffix}" for part in ("base", "binary", "modules", "headers")),
        "linux-headers-7.3.4-common", "linux-kbuild-7.3.4"]
    with pytest.raises(RuntimeError, match=f"no package linux-image-{suffix}"):
        packages_newer(Archive("other"), suffix, "")


def words(name):
    """Returns the words of a variable of the Makefile."""
    text = (Path(__file__).parents[3] / "Makefile").read_text()
    return re.search(rf"^{name} := (.*)$", text, re.M)[1].split()


def test_all_kernels_are_tested():
    """`make test-all` has all flavours, and each of the properties for other kernels runs on some of these."""
    assert {*words("STOCK"), "newest", DEBUG, *words("MINOR")} == set(FLAVOURS)
    assert not set(words("STOCK")) & set(words("MINOR"))
    chosen = {found.name: found for found in discover() if found.name in words("MINOR_PROPERTIES")}
    assert set(chosen) == set(words("MINOR_PROPERTIES"))
    for kernel in words("MINOR"):
        assert {mode for found in chosen.values() if found.runs_on(kernel) for mode in found.modes} == set(MODES)
        assert [name for name, found in chosen.items() if not found.runs_on(kernel)] == []
