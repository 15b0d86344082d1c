# SPDX-License-Identifier: GPL-2.0
"""Follows docs/start.md from a fresh Debian to a component in QEMU, with exactly the commands of the page.

The root has no kernel and no package that Limpet needs. All changes are in memory and vanish. Two things differ from a
user's machine: apt does not ask whether to continue, and it has downloaded the packages before, so that the measured
time is without downloads. The measured time is the elapsed time. If other programs used the machine meanwhile, it is
the processor time of the commands, because the elapsed time then includes waits for processors and emulators.
"""

import os
import re
import shlex
import time
from pathlib import Path

import pytest

from tests.harness import fresh
from tests.harness.cache import locked

from .packages import TOP, debs

RELEASES = os.environ.get("RELEASE", "").split() or ["trixie"]
SECTION = "\n## Only in QEMU: six commands\n"
COMMANDS_MAX, SECONDS_MAX = 6, 300
#: Share of one processor that other programs can use without a change of the elapsed time.
OTHERS_MAX = 0.1
SCRIPT = """set -e
export DEBIAN_FRONTEND=noninteractive
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/answer
{root}
useradd -m user
cat >/home/user/commands <<'END'
set -e
cd
{user}
END
runuser -u user -- sh /home/user/commands
{end}
"""


def page():
    """Returns the commands of root and of the user on the page, and the output that the page shows."""
    text = (TOP / "docs/start.md").read_text().split(SECTION)[1].split("\n## ")[0]
    root, user = re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)
    [output] = re.findall(r"^```output\n(.*?)^```$", text, re.M | re.S)
    return root.splitlines(), user.splitlines(), output


def timed(*commands):
    """Returns a script that prints the seconds since boot and the command before it runs each command."""
    mark = 'echo "@ $(cut -d " " -f 1 /proc/uptime)"'
    return "\n".join(f"{mark} {shlex.quote(command)}\n{command}" for command in commands)


def used():
    """Returns the seconds since boot, the processor time of this test's commands, and that of the whole machine."""
    own = os.times()
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    user, nice, system, _, _, interrupts, soft, stolen = (number / os.sysconf("SC_CLK_TCK") for number in ticks)
    return (time.monotonic(), own.children_user + own.children_system,
            user + nice + system + interrupts + soft + stolen)


def test_at_most_six_commands():
    root, user, output = page()
    assert all(root + user) and len(root + user) <= COMMANDS_MAX and output.strip()


@pytest.mark.skipif(not os.environ.get("LIMPET_LONG"), reason="LIMPET_LONG is not set: it takes minutes")
@pytest.mark.parametrize("release", RELEASES)
def test_five_minutes(release):
    """The commands show the component's output, and take at most five minutes."""
    root, user, output = page()
    [words] = [command.removeprefix("apt install ") for command in root if command.startswith("apt install ")]
    with locked(f"stocked-{release}"):
        place = fresh.stocked(release, list(debs().values()), words)
        before = used()
        status, said = fresh.enter(place, SCRIPT.format(root=timed(*root), user=timed(*user), end=timed("true")),
                                   4 * SECONDS_MAX, keep=False)
        elapsed, own, machine = (after - start for after, start in zip(used(), before))
    print(said)
    assert status == 0, f"ended with {status}"
    tried = said[said.index(user[-1]):]
    assert output.strip() in tried
    marks = re.findall(r"^@ ([\d.]+) (.*)$", said, re.M)
    assert [command for _, command in marks] == [*root, *user, "true"]
    taken = [float(after) - float(before) for (before, _), (after, _) in zip(marks, marks[1:])]
    print("\n".join(f"{seconds:6.1f} s  {command}" for seconds, command in zip(taken, root + user)))
    print(f"elapsed: {elapsed:.1f} s, processor time: {own:.1f} s, of other programs: {machine - own:.1f} s")
    assert (own if machine - own > OTHERS_MAX * elapsed else elapsed) <= SECONDS_MAX


@pytest.mark.parametrize("release", RELEASES)
def test_packages_that_apt_cannot_download(release):
    with locked(f"stocked-{release}"), pytest.raises(RuntimeError, match="none-such ended with 100"):
        fresh.stocked(release, [], "none-such")
