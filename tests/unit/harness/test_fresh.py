# SPDX-License-Identifier: GPL-2.0
"""Tests the copy of the tree into a fresh root, and refusals. tests/fresh tests the roots themselves."""

import pytest

from tests.harness import fresh


def test_tree_is_copied(tmp_path):
    """The copy has the files of this tree without build/ and .git, and no files of an older copy."""
    old = tmp_path / fresh.TREE / "old"
    old.parent.mkdir(parents=True)
    old.touch()
    fresh.copy_tree(tmp_path)
    copied = tmp_path / fresh.TREE
    assert (copied / "Makefile").read_text() == (fresh.TOP / "Makefile").read_text()
    assert (copied / "tests/harness/deps.sh").stat().st_mode & 0o100
    assert not any((copied / name).exists() for name in ("build", ".git", "old"))


def test_unknown_release():
    """An unknown release is refused with a list of the known ones."""
    with pytest.raises(RuntimeError, match="no root of woody: use one of bookworm, trixie"):
        fresh.base("woody")
