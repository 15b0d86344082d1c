# SPDX-License-Identifier: GPL-2.0
"""Follows the tutorials on a fresh Debian with the packages, without a checkout, as test_start.py does for docs/start.md.

All changes of the root are in memory and vanish.
"""

import os

import pytest

from tests.harness import fresh
from tests.harness.cache import locked
from tests.harness.tutorial import FOLDER, blocks, shows

from .packages import debs
from .test_start import RELEASES, SCRIPT, page

PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))
#: Packages that the pages name, and that are not in the command of docs/start.md.
MORE = "pkgconf"
#: Time limit for all pages in seconds, with the wait for slots of emulators.
LIMIT = 3600


def script(name):
    """Returns a shell script that writes the files of a page and runs its commands, except those for a checkout."""
    parts = []
    for kind, word, text in blocks(name):
        if kind == "sh" and word != "checkout":
            parts.append(text)
        elif kind not in ("sh", "output"):
            parts.append(f'cat >"{word}" <<\'END OF FILE\'\n{text}END OF FILE\n')
    return "".join(parts)


def follow(name):
    """Returns a script that follows a page, between two lines with the page and the exit code."""
    return f"""cat >page <<'END OF PAGE'
{script(name)}END OF PAGE
echo "@ {name}"
code=0
bash -e page || code=$?
echo "@ exit code $code"
"""


def failures(said):
    """Returns what is wrong in the output of the pages' scripts."""
    wrong = []
    for name in PAGES:
        seen, _, rest = said.partition(f"@ {name}\n")[2].partition("@ exit code ")
        if rest.partition("\n")[0] != "0":
            wrong.append(f"{name}: a command failed")
        wrong += [f"{name}: this output is missing:\n{text}" for kind, word, text in blocks(name)
                  if kind == "output" and not shows(seen, word, text)]
    return wrong


def test_failures_are_found():
    texts = {name: "".join(text for kind, _, text in blocks(name) if kind == "output") for name in PAGES}
    good = "".join(f"@ {name}\n{text}@ exit code 0\n" for name, text in texts.items())
    assert failures(good) == []
    assert failures(good.replace(f"{texts['sandbox']}@ exit code 0", f"{texts['sandbox']}@ exit code 1")) == \
        ["sandbox: a command failed"]
    assert [text.splitlines()[0] for text in failures(good.replace("counter: this is 5", "counter: this is 4"))] == \
        ["first-component: this output is missing:"]
    assert len(failures("")) > len(PAGES)


def test_the_scripts_need_no_checkout():
    for name in PAGES:
        assert "limpet new project" in script(name) and "make" not in script(name).split()


@pytest.mark.skipif(not os.environ.get("LIMPET_LONG"), reason="LIMPET_LONG is not set: it takes many minutes")
@pytest.mark.parametrize("release", RELEASES)
def test_tutorials(release):
    """Each command of each page succeeds, and prints the outputs of the page."""
    root, _, _ = page()
    [words] = [command.removeprefix("apt install ") for command in root if command.startswith("apt install ")]
    commands = "\n".join([*root, f"apt install {MORE}"])
    with locked(f"stocked-{release}"):
        place = fresh.stocked(release, list(debs().values()), f"{words} {MORE}")
        status, said = fresh.enter(place, SCRIPT.format(root=commands, user="".join(map(follow, PAGES)), end=""),
                                   LIMIT, keep=False)
    print(said)
    assert status == 0, f"ended with {status}"
    assert not failures(said), "\n".join(failures(said))
