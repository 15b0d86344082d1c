# SPDX-License-Identifier: BSD-2-Clause
"""Builds LLVM's C++ library for musl, once, from the sources of a Debian package.

Debian has no C++ library for musl. libc++, libc++abi and libunwind become one static archive, next to a folder of headers.
Both are in the cache, in a folder that is named after everything that they depend on.
"""

import dataclasses
import hashlib
import os
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import musl
from .errors import Refused


@dataclasses.dataclass(frozen=True)
class Release:
    """Represents the sources of one version, which the archive has for all releases of Debian."""

    package: str
    version: str
    digest: str       # SHA-256 of the archive
    standard: str     # of C++, in which it is written
    more: tuple = ()  # folders that older versions do not have

    @property
    def file(self):
        return f"{self.package}_{self.version}.orig.tar.xz"


#: Major version of the compiler -> the library that supports it. These are the versions of Debian 12 and 13.
RELEASES = {
    12: Release("llvm-toolchain-14", "14.0.6", "d9bce5f42381d781e273c724db1ab0acd66259bf2782b79891664dbf1953d22c",
                "gnu++20"),
    14: Release("llvm-toolchain-19", "19.1.7", "ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce",
                "gnu++23", ("*/libcxx/vendor",))}

#: Folders that are unpacked. `*` is the folder that contains everything.
FOLDERS = [f"*/{library}/{folder}" for library in ("libcxx", "libcxxabi", "libunwind") for folder in ("include", "src")]
#: Folders of sources, from the top folder. The others are for other systems, optional, or experimental.
SOURCES = ("libcxx/src", "libcxx/src/ryu", "libcxx/src/filesystem", "libcxxabi/src", "libunwind/src")
#: A variant for a compiler without exceptions; helpers of compiler-rt, which libgcc.a has; definitions for other systems.
OMITTED = ("cxa_noexception.cpp", "int128_builtins.cpp", "Unwind-seh.cpp", "Unwind-sjlj.c", "Unwind-EHABI.cpp",
           "Unwind_AppleExtras.cpp", "Unwind-wasm.c")
SUFFIXES = (".c", ".cpp", ".S")

#: The file <__config_site>, which LLVM's build would generate. Settings that a version does not know have no effect.
CONFIGURATION = """\
#ifndef _LIBCPP_CONFIG_SITE
#define _LIBCPP_CONFIG_SITE
#define _LIBCPP_ABI_VERSION 1
#define _LIBCPP_ABI_NAMESPACE __1
#define _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_THREAD_API_PTHREAD
#define _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS
#define _LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS
#define _LIBCPP_HAS_NO_TIME_ZONE_DATABASE
#define _LIBCPP_PSTL_BACKEND_SERIAL
#define _LIBCPP_HARDENING_MODE_DEFAULT 2
#endif
"""
SECTIONS = "-ffunction-sections -fdata-sections".split()
COMMON = [*musl.FLAGS, *SECTIONS, "-w", "-DNDEBUG"]
CXX = ("-fvisibility-inlines-hidden -D_LIBCPP_BUILDING_LIBRARY -D_LIBCXXABI_BUILDING_LIBRARY "
       "-D_LIBCPP_HAS_NO_PRAGMA_SYSTEM_HEADER -DLIBCXX_BUILDING_LIBCXXABI").split()
#: Flags of single files. A call of a missing weak function must go through a pointer, because 0 is too far away.
SPECIAL = {"cxa_thread_atexit.cpp": ["-fno-plt"]}
#: libunwind finds the tables by symbols of the linker script, because a component has no dynamic loader.
UNWIND = "-D_LIBUNWIND_IS_BAREMETAL -D_LIBUNWIND_IS_NATIVE_ONLY -funwind-tables".split()
#: Warnings that g++ derives from the library's inlined functions. They are wrong, and their places are in its headers.
INLINED = [f"-Wno-{name}" for name in (
    "array-bounds", "dangling-pointer", "free-nonheap-object", "maybe-uninitialized", "mismatched-new-delete", "nonnull",
    "restrict", "stringop-overflow", "stringop-overread", "uninitialized", "use-after-free")]
#: Keywords of C11 in Limpet's headers, which g++ knows by other names.
KEYWORDS = ["-D_Static_assert=static_assert", "-D_Noreturn=__attribute__((noreturn))"]
UNWIND_CXX = "-fno-exceptions -fno-rtti".split()


def compiler():
    """Returns the words of the C++ compiler's command."""
    return shlex.split(os.environ.get("CXX", "g++"))


def answer(file, *words):
    """Returns what the compiler prints for options, or refuses the component because the compiler does not run."""
    try:
        return subprocess.run([*compiler(), *words], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refused(file, "component/sources", f"The sources are C++, but the compiler {compiler()[0]} does not "
                      f"run: {error}. Install g++ or set the variable CXX.") from None


def release_of(file):
    """Returns the library for the compiler, or refuses the component because there is none."""
    version = answer(file, "-dumpversion")
    major = version.partition(".")[0]
    if "clang" in answer(file, "--version") or not major.isdigit() or int(major) not in RELEASES:
        known = " and ".join(map(str, RELEASES))
        raise Refused(file, "component/sources", f"The sources are C++, but no library is known for {compiler()[0]} "
                      f"{version}. "
                      f"It is built for g++ {known}. Install one of them and set the variable CXX, such as CXX=g++-12.")
    return RELEASES[int(major)]


def flags(headers, file):
    """Returns the flags for sources that use the library."""
    return [*INLINED, *KEYWORDS, *includes(headers, file)]


def includes(headers, file):
    """Returns the flags for the headers of the library, of musl and of the compiler, in this order."""
    folders = (headers, musl.HEADERS, answer(file, "-print-file-name=include"))
    return ["-nostdinc", *(f"-isystem{folder}" for folder in folders)]


def library(file):
    """Returns the folder with `include` and `libc++.a`. Builds it if it is missing, which takes about a minute.

    `file` is the component's description, for refusals.
    """
    from tests.harness.cache import cache_dir, locked
    release = release_of(file)
    parts = [*map(str, (release, SPECIAL)), answer(file, "--version"), CONFIGURATION, *COMMON, *CXX, *UNWIND, *UNWIND_CXX,
             *SOURCES, *OMITTED]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    folder = cache_dir() / f"libcxx-{release.version}-{key}"
    if not folder.is_dir():
        with locked("libcxx"):
            if not folder.is_dir():
                build(release, folder, file)
    return folder


def build(release, folder, file):
    """Makes the library. Refuses the component if a command fails, whose output is then already printed."""
    if not musl.HEADERS.is_dir():
        raise Refused(file, "component/libc", f"there is no {musl.HEADERS}. Programs are compiled with Debian's musl. "
                      "Install musl-tools.")
    try:
        make(release, folder, file)
    except RuntimeError as error:
        raise Refused(file, "component/sources", f"The sources are C++, but the C++ library {release.version} "
                      f"cannot be built: {error}. See the messages above and remove {folder}.part.") from None


def make(release, folder, file):
    """Fetches the sources, builds the library, and renames the finished folder to `folder`."""
    from tests.harness.cache import command, publish, say
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    source = fetched(release, part, file)
    say(f"unpacking libc++ {release.version}")
    (part / "source").mkdir()
    command("tar", "-C", part / "source", "--strip-components=1", "--wildcards", "--no-wildcards-match-slash",
            "-xf", source, *FOLDERS, *release.more)
    headers_copy(part / "source", part / "include")
    objects = compiled(release, part, file)
    command("ar", "rcsD", part / "libc++.a", *objects)
    for name in ("source", "objects", release.file):
        shutil.rmtree(part / name, ignore_errors=True)
    (part / release.file).unlink(missing_ok=True)
    publish(part, folder)


def fetched(release, part, file):
    """Returns the archive of the sources: the file that the user has put into the cache, or one that apt downloads."""
    from tests.harness import archive
    from tests.harness.cache import cache_dir, say
    own = cache_dir() / "sources" / release.file
    if own.is_file():
        if hashlib.sha256(own.read_bytes()).hexdigest() != release.digest:
            raise Refused(own, "file", f"The file is not {release.package} {release.version}, because its SHA-256 "
                          f"differs. {file} needs the C++ library that is built from it. Remove it or copy it again.")
        return own
    say(f"downloading {release.file}")
    try:
        archive.download(f"pool/main/l/{release.package}/{release.file}", part / release.file, release.digest)
    except (RuntimeError, OSError) as error:
        raise Refused(file, "component/sources", f"The sources are C++. Their library is built from Debian's "
                      f"{release.file}, "
                      f"which apt cannot download: {error}. Connect this machine to a Debian archive, or copy the file "
                      f"from another machine to {own.parent}/.") from None
    return part / release.file


def headers_copy(source, include):
    """Copies the headers of the three libraries into one folder, with the configuration."""
    for name in ("libunwind", "libcxxabi", "libcxx"):
        shutil.copytree(source / name / "include", include, dirs_exist_ok=True)
    (include / "__config_site").write_text(CONFIGURATION)
    handler = source / "libcxx/vendor/llvm/default_assertion_handler.in"
    if handler.is_file():
        shutil.copy(handler, include / "__assertion_handler")


def compiled(release, part, file):
    """Compiles all sources, as many at a time as there are processors. Returns the objects."""
    from tests.harness.cache import command, say
    source, objects = part / "source", part / "objects"
    objects.mkdir()
    common = [*COMMON, f"-ffile-prefix-map={part}=libc++", *includes(part / "include", file)]
    # Headers of Linux, after those of musl.
    common += ["-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"]
    common += [f"-I{source / folder}" for folder in ("libcxx/src", "libcxxabi/src", "libunwind/src")]
    files = [path for folder in SOURCES for path in sorted((source / folder).glob("*"))
             if path.suffix in SUFFIXES and path.name not in OMITTED]
    done = []

    def one(path):
        to = objects / f"{path.relative_to(source).as_posix().replace('/', '-')}.o"
        command("nice", *compiler(), *common, *own_flags(release, path.relative_to(source)), "-c", "-o", to, path)
        done.append(to)
        if len(done) % 10 == 0 or len(done) == len(files):
            say(f"building the C++ library {release.version}, once: {len(done)} of {len(files)} files")
        return to

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, files))


def own_flags(release, path):
    """Returns the flags of one source, whose path begins with the library's folder."""
    unwind = path.parts[0] == "libunwind"
    # The command of g++ compiles C as C++ unless a language is named.
    language = {".c": ["-x", "c"], ".S": ["-x", "assembler-with-cpp"]}.get(path.suffix, [f"-std={release.standard}"])
    if path.suffix == ".cpp" and unwind:
        language += UNWIND_CXX
    return [*(UNWIND if unwind else CXX), *SPECIAL.get(path.name, []), *language]
