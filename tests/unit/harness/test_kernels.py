# SPDX-License-Identifier: GPL-2.0
"""Tests the choice of a version's newest kernel, and the kernel that each flavour represents."""

import pytest

from tests.harness.kernels import DEBUG, FLAVOURS, STOCK, newest_name, represented

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
