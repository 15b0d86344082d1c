# SPDX-License-Identifier: GPL-2.0
"""Installs the Debian packages in a root without booting it, uses them there, and purges them.

The root of test_fresh.py contains the packages that Limpet's packages depend on. All changes are in memory and vanish.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.harness import fresh
from tests.harness.cache import locked

from .packages import NAMES, SNAPSHOT, TOP, debs, version

RELEASES = os.environ.get("RELEASE", "").split() or ["trixie"]


def contents(path) -> dict[str, tuple[str, str]]:
    """Returns the mode and the owner of each file in a package."""
    listed = subprocess.run(["dpkg-deb", "-c", path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^(\S+) (\S+) +\d+ \S+ \S+ \.(/.*?)(?: -> .*)?$", listed, re.M)
    return {name: (mode, owner) for mode, owner, name in found}


def test_all_packages_are_there():
    found = debs()
    assert set(found) == NAMES
    for name, path in found.items():
        fields = subprocess.run(["dpkg-deb", "-f", path], capture_output=True, text=True, check=True).stdout
        assert f"Version: {version()}\n" in fields, name


def test_files():
    """Each file belongs to root, only its owner can write it, and no file is in two packages."""
    seen = {}
    for package, path in debs().items():
        for name, (mode, owner) in contents(path).items():
            assert owner == "root/root" and (mode[0] == "l" or (mode[5], mode[8]) == ("-", "-")), name
            if not name.endswith("/"):
                assert name not in seen, f"{name} is in {package} and {seen[name]}"
                seen[name] = package
    for package, name in (("limpet", "/usr/bin/limpet"), ("limpet", "/lib/systemd/system/limpet@.service"),
                          ("limpet-bridge", "/lib/systemd/system/limpet-bridge@.service"),
                          ("limpet-bridge", "/usr/bin/limpet-bridge"),
                          ("limpet-bridge", "/usr/share/man/man1/limpet-bridge.1.gz"),
                          ("limpet", "/etc/limpet/limpet.conf"), ("limpet", "/lib/udev/rules.d/60-limpet.rules"),
                          ("limpet", "/usr/share/man/man5/limpet.conf.5.gz"), ("limpet-sdk", "/usr/bin/limpet-compose"),
                          ("limpet-sdk", "/usr/lib/limpet/sdk/components/net.o"),
                          ("limpet-doc", "/usr/share/doc/limpet-doc/html/docs/architecture.html")):
        assert seen.get(name) == package, name


def test_module_is_complete():
    """limpet-dkms contains each file of the tree that the compiler read for the module, by its dependency files."""
    used = set()
    for path in [*TOP.glob("build/core/**/*.d"), *TOP.glob("build/bare/**/*.d"), *TOP.glob("build/module-6.1/**/.*.cmd")]:
        text = path.read_text()
        tree = re.search(r"-I(\S+)/host/linux/include", text)    # the tree in which the module was built
        words = text.replace(f"{tree[1]}/" if tree else "\0", "").split()
        used |= {word.replace("build/module-6.1/", "host/linux/") for word in words if re.fullmatch(r"\w[-\w/.]*\.[chS]", word)}
    used = {name for name in used if (TOP / name).is_file() and not name.startswith("build/")}
    assert len(used) > 150 and {"kernel/gate.c", "host/linux/module.c", "host/bare/svm/vmrun.S", "shared/channel/end.h"} <= used
    folder = f"/usr/src/limpet-{version()}"
    assert {f"{folder}/{name}" for name in used} - set(contents(debs()["limpet-dkms"])) == set()


PROGRAM = """#include <client/channel.h>
#include <errno.h>
int main(void)
{
	struct limpet_channel channel;

	return limpet_channel_open(&channel, "none-such") != -ENOENT;
}"""
SYSTEM = """[system]
name   = "own"
frames = "4M"

[[component]]
name  = "sched"
image = "sched.fixed-priority"

[[component]]
name  = "log"
image = "log"

[[component]]
name    = "mine"
image   = "mine"
imports = { log = "log", sched = "sched" }"""
SCRIPT = f"""set -e
{SNAPSHOT}
rm -f /var/lib/man-db/auto-update    # building the index of manual pages takes long
snapshot /root/before
dpkg -i /root/limpet/build/debs/*.deb >/root/log 2>&1 || {{ cat /root/log; exit 1; }}
limpet --version
getent group limpet
limpet doctor --config
/usr/bin/python3 -c 'import limpet; print(limpet.Channel.__name__)'
test -s /usr/share/man/man1/limpet.1.gz

# The bridge of these packages exchanges samples with programs of DDS that are built here, also with another version of DDS.
ldd /usr/bin/limpet-bridge | grep -F libddsc
LIMPET=/usr/bin/limpet /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/unit/bridge \
	-k "messages_arrive or samples_go or each_kind or domain_of"

cd /root
cat >own.c <<'END'
{PROGRAM}
END
gcc own.c -o program $(pkg-config --cflags --libs limpet) && ./program

kit=/usr/share/limpet/sdk
mkdir objects own && cp -r $kit/components/template own/mine
sed -i 's/^name *= "template"/name = "mine"/' own/mine/component.toml
cat >own.toml <<'END'
{SYSTEM}
END
limpet-component own/mine -o objects/mine.o
limpet-compose own.toml -o own.limpet --components own --components $kit/components --objects objects \\
	--objects $kit/build/components
limpet-compose --check own.limpet

dpkg --purge {" ".join(sorted(NAMES))} >/root/log 2>&1 || {{ cat /root/log; exit 1; }}
snapshot /root/after
diff /root/before /root/after && echo "nothing is left"

# A group that a user has is kept.
dpkg -i /root/limpet/build/debs/limpet_*.deb >/root/log 2>&1 || {{ cat /root/log; exit 1; }}
useradd -M -g limpet keeper
dpkg --purge limpet >/root/log 2>&1 || {{ cat /root/log; exit 1; }}
grep -F 'limpet: group limpet is kept, because it is in use' /root/log
"""


@pytest.mark.parametrize("release", RELEASES)
def test_install_use_purge(release):
    """The packages work where they are installed, also for a component outside the kit. A purge removes all files."""
    with locked(f"fresh-{release}"):
        root = fresh.root_of(release)
        fresh.copy_tree(root)
        shutil.copytree(TOP / "build/debs", root / fresh.TREE / "build/debs")
        status, said = fresh.enter(root, SCRIPT, 600, keep=False)
    print(said)
    assert status == 0, f"ended with {status}"
    assert said.startswith(f"limpet {version()}, ") and "nothing is left" in said
