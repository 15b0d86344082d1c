# SPDX-License-Identifier: GPL-2.0
"""Tests the completions for zsh and fish in the shells of Debian releases, with the installed package.

All changes of the root are in memory and vanish.
"""

import os

import pytest

from tests.harness import fresh
from tests.harness.cache import locked

from .packages import debs

RELEASES = os.environ.get("RELEASE", "").split() or ["trixie"]
WORDS = "--no-install-recommends zsh fish ./limpet_*.deb"
#: Lines that are completed, and the word that the last one becomes. It stays if the command does not know the line.
LINES = {"limpet ru": "run", "limpet det": "detach", "limpet attach --force": "--force-check",
         "limpet none-such --": "--"}
#: Starts zsh on a terminal for each line, types the line and the key TAB, and prints the resulting line. The completion
#: of zsh writes its errors to stderr, which is not the terminal then.
ZSH = r"""
zmodload zsh/zpty
export ZDOTDIR=/root/zsh TERM=dumb
cat >$ZDOTDIR/.zshrc <<'RC'
exec 2>>/root/zsh/errors
autoload -Uz compinit && compinit -u
ready() { print READY }
show() { print -r -- "<$BUFFER>" }
zle -N zle-line-init ready
zle -N show
bindkey '^X' show
RC
for line; do
	zpty shell zsh -i
	zpty -r shell said '*READY*'
	zpty -w -n shell $line$'\t\x18'
	zpty -r shell said '*<*>*'
	zpty -d shell
	print -r -- ${${said#*<}%%>*}
done
cat /root/zsh/errors >&2
"""
FISH = r"""
for line in $argv
	set found (complete -C $line | string split -f 1 \t)
	echo $line: $found
end
"""
SCRIPT = """set -e
export DEBIAN_FRONTEND=noninteractive
apt-get install -qy {words} >/root/log 2>&1 || {{ cat /root/log; exit 1; }}
mkdir /root/zsh
cat >/root/program <<'END'
{program}
END
set -- {lines}
exec {shell} /root/program "$@" 2>&1
"""


@pytest.fixture(scope="module", params=RELEASES)
def root(request):
    """Yields a release's root, for which apt has downloaded the shells."""
    with locked(f"stocked-{request.param}"):
        yield fresh.stocked(request.param, list(debs().values()), WORDS)


def said_by(root, shell, program):
    """Runs a program of a shell with the lines as arguments. Returns the lines that it prints, with its errors."""
    lines = " ".join(f"'{line}'" for line in LINES)
    script = SCRIPT.format(words=WORDS, program=program, lines=lines, shell=shell)
    status, said = fresh.enter(root, script, 300, keep=False)
    print(said)
    assert status == 0, f"ended with {status}"
    return said.splitlines()


def test_zsh(root):
    """The key TAB completes a line, without an error."""
    completed = [" ".join([*line.split()[:-1], word]) for line, word in LINES.items()]
    assert [line.rstrip() for line in said_by(root, "zsh", ZSH)] == completed


def test_fish(root):
    """fish offers the same words, without an error."""
    offered = [f"{line}: {'' if word == '--' else word}".rstrip() for line, word in LINES.items()]
    assert [line.rstrip() for line in said_by(root, "fish", FISH)] == offered
