# SPDX-License-Identifier: GPL-2.0
"""Unpacks Debian source packages, of which some components are made, into the cache.

    python3 -m tests.harness.sources lua5.4 build/packages/lua5.4      makes a link to its folder
"""

import dataclasses
import shutil
import sys
from pathlib import Path

from . import archive
from .cache import cache_dir, command, locked, publish, say


@dataclasses.dataclass(frozen=True)
class Source:
    """A version of a package: its files, the .dsc first, with their SHA-256.

    If the only file is an archive, Debian's changes are not applied.
    """

    folder: str  # in the pool
    files: dict[str, str]


SOURCES = {
    "lua5.4": Source("l/lua5.4", {
        "lua5.4_5.4.4-3+deb12u1.dsc":
            "d47c50154294a68c8a209c5d61bc09e5b22891c01b7c47501ac3f9725eb4a813",
        "lua5.4_5.4.4.orig.tar.gz":
            "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61",
        "lua5.4_5.4.4-3+deb12u1.debian.tar.xz":
            "2d8e0e380722c648cfeffb8d58287865619b4d035544d93d7ef3a2eaf627abe6"}),
    "bzip2": Source("b/bzip2", {
        "bzip2_1.0.8-5.dsc":
            "ed9c40f4de3f9e064535e15eac1c61a0f606763db98f4579dbc04067b94a8944",
        "bzip2_1.0.8.orig.tar.gz":
            "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269",
        "bzip2_1.0.8-5.debian.tar.bz2":
            "d68c6eba11d70e14319e24ef1451880a03023b2b75364646adb117086db36039"}),
    "jitterdebugger": Source("j/jitterdebugger", {
        "jitterdebugger_0.3.1+git20200117.b90ff3a-4.dsc":
            "6b20eefa7bf49fe4b5adfcfc2e3e03df399bcdf7ff2c39e24c3336af4fe8b10d",
        "jitterdebugger_0.3.1+git20200117.b90ff3a.orig.tar.gz":
            "082819a422fb202389c9d69098024571d919ea86b3ec55f160da1b84d37e1be4",
        "jitterdebugger_0.3.1+git20200117.b90ff3a-4.debian.tar.xz":
            "80e42f1f50c8e1b9d94d445caeadf06b14a0873f8ff08ef1fc0c6b4428c61f58"}),
    "lwip": Source("l/lwip", {
        "lwip_2.1.3+dfsg1-2.dsc":
            "8d8f944db8e6d542fc2d6f01559078fb1b5dda71651c67ee5fa3571ed1342c50",
        "lwip_2.1.3+dfsg1.orig.tar.xz":
            "0a8276d09fc4e97bbba2f953d74af2388fc2195ea156be9d7589e297a68fde24",
        "lwip_2.1.3+dfsg1-2.debian.tar.xz":
            "c5a48413d362cc757032cdd58f528f75eb64ee781ca46ca24f010b49b0e62a90"}),
    "zlib": Source("z/zlib", {
        "zlib_1.2.13.dfsg-1.dsc":
            "3fa1e6b2fc525062aa88207dda52fed8e045373c809d362fe8a2bfbf7cf515a8",
        "zlib_1.2.13.dfsg.orig.tar.bz2":
            "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
        "zlib_1.2.13.dfsg-1.debian.tar.xz":
            "f66cf3d4f2d7defcd4d1fd1fb0a11ee39f1e01b42ec7d059c9dc5c1695133c44"}),
    "gnulib": Source("g/gnulib", {
        "gnulib_20230209+stable-1.dsc":
            "50e04da2b594888d18c4bea35999e5f7522c100a66b906e685a7245a66716416",
        "gnulib_20230209+stable.orig.tar.gz":
            "3d705dfeae9d4f17c3532e8663523206352b1f79c990b945bdcda2a847ba3546",
        "gnulib_20230209+stable-1.debian.tar.xz":
            "d64fc6b9310a2611e9447cd24b77fcd289a97cc0ecab00855122d825c01c857c"}),
    "dietlibc": Source("d/dietlibc", {
        "dietlibc_0.34~cvs20160606.orig.tar.xz":
            "6d0d43846f58e53821407707b9c096e7ac4b0c582ce9e4c0126d1d3f959ffc25"}),
    "libdbd-sqlite3-perl": Source("libd/libdbd-sqlite3-perl", {
        "libdbd-sqlite3-perl_1.72-1.dsc":
            "ee66e3268d87d354764c517ae021a9c50b20ef26b3dacbde0a25358d4ceea947",
        "libdbd-sqlite3-perl_1.72.orig.tar.gz":
            "5ca41e61eb52b52bd862a3088b912a75fe70910ac789b9a9983e0a449e94f551",
        "libdbd-sqlite3-perl_1.72-1.debian.tar.xz":
            "ebbb6555016e878c8b4a3c1e6c43b529b06bf9c432cc66580f7cf78df559d36b"}),
    "sqlite3": Source("s/sqlite3", {
        "sqlite3_3.40.1-2+deb12u2.dsc":
            "ee3459ae9d00939741c7708fc1b8ce1bde12d8c3fb1dfa005bbbc8651d884e23",
        "sqlite3_3.40.1.orig-www.tar.xz":
            "a5e95a18d1b59729278860559ded78751b9163ffb5bb906c5cd24c015f71d5fd",
        "sqlite3_3.40.1.orig.tar.xz":
            "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655",
        "sqlite3_3.40.1-2+deb12u2.debian.tar.xz":
            "0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca"}),
    "bash": Source("b/bash", {
        "bash_5.2.15-2.dsc":
            "f51753e946af43eb58549c81e03b35a47af9fe6c6364179ccd4ef862b7c3b2d3",
        "bash_5.2.15.orig.tar.gz":
            "7a315bc0e9d90713159e4390ec1096a41e4f33cd8cc3d1a749a8e5ad56600f51",
        "bash_5.2.15-2.debian.tar.xz":
            "998f8ea5b754a734ae7d8306e149c43d713ddfcf49623a036004b729237dbcca"}),
    "perl": Source("p/perl", {
        "perl_5.36.0-7+deb12u3.dsc":
            "ac13a1eb3d4bb63ca8c91a3695ad563b10792a3e0f2f8b74d9600625a98a68fb",
        "perl_5.36.0.orig-regen-configure.tar.xz":
            "10ac353bc5a933403afe60ed1817e7a456f99bdbcaf80c1cdb0eb3a08ea56d4e",
        "perl_5.36.0.orig.tar.xz":
            "0f386dccbee8e26286404b2cca144e1005be65477979beb9b1ba272d4819bcf0",
        "perl_5.36.0-7+deb12u3.debian.tar.xz":
            "5dfbe06b76fd23a4cc4aef586220845de535b245a9066ec0658eb60fbe21be1b"}),
    "coreutils": Source("c/coreutils", {
        "coreutils_9.1-1.dsc":
            "2f2fca0a07a1a3f38e3ebeb4cbd97e97e675e77bed84f3e9d0b7e5da4cde75fc",
        "coreutils_9.1.orig.tar.xz":
            "61a1f410d78ba7e7f37a5a4f50e6d1320aca33375484a3255eddf17a38580423",
        "coreutils_9.1-1.debian.tar.xz":
            "45d4ae88d933a7d713ef038943e818a2488e759b6196a409788744cbc6df1832"}),
}


def fetch(name: str) -> Path:
    """Returns the unpacked source of a package, with Debian's changes. Downloads it if it is missing."""
    if name not in SOURCES:
        raise RuntimeError(f"no source package {name}: use one of {', '.join(SOURCES)}")
    source = SOURCES[name]
    root = cache_dir() / "sources" / next(iter(source.files)).removesuffix(".dsc").removesuffix(".tar.xz")
    with locked(f"source-{name}"):
        if not root.exists():
            root.parent.mkdir(exist_ok=True)
            _unpack(name, source, root)
    return root


def _unpack(name: str, source: Source, root: Path) -> None:
    part = root.with_name(f"{root.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for file, digest in source.files.items():
        say(f"downloading {file}")
        archive.download(f"pool/main/{source.folder}/{file}", part / file, digest)
    say(f"unpacking {name}")
    first = next(iter(source.files))
    if first.endswith(".dsc"):
        # The digests above replace the check of the signature, because a machine need not have its keys.
        command("dpkg-source", "--no-check", "-x", first, "tree", cwd=part)
    else:
        (part / "tree").mkdir()
        command("tar", "--extract", f"--file={first}", "--directory=tree", "--strip-components=1", "--no-same-owner", cwd=part)
    publish(part / "tree", root)
    shutil.rmtree(part)


def main(arguments: list[str]) -> int:
    """Fetches a package. Makes a link to it, or prints its path."""
    if not arguments or len(arguments) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = fetch(arguments[0])
    if len(arguments) == 1:
        print(folder)
        return 0
    link = Path(arguments[1])
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RuntimeError as error:
        sys.exit(f"no source package: {error}")
