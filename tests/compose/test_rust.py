# SPDX-License-Identifier: BSD-2-Clause
"""Components in Rust: refusals, the target, and the crates of the interfaces."""

import json
import os
import stat
import subprocess

import pytest
import support

from tools.compose import component, contract, interface, rust, stub_rust

ECHO = support.TREE / "interfaces" / "echo" / "interface.toml"
HEAD = '[component]\nname = "bad"\ndoc = "Bad."\n'
ROOT = "#![no_std]\n"


def folder_with(tmp_path, head="", **files):
    """Makes a component's folder with these Rust files."""
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "component.toml").write_text(HEAD + head)
    for name, text in files.items():
        (folder / f"{name}.rs").write_text(text)
    return folder


def build(folder, *more):
    """Builds the component, with a runtime that is not used before the refusals."""
    runtime = folder.with_name("runtime")
    runtime.mkdir()
    (runtime / "runtime.a").touch()
    return support.call("limpet-component", support.component_build.main, folder, "-o", folder.with_suffix(".o"), "--runtime",
                        runtime, "--interfaces", support.ROOT / "interfaces", *more)


def compiler_that(tmp_path, monkeypatch, script):
    """Replaces the compiler by a shell script."""
    path = tmp_path / "rustc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("RUSTC", str(path))


@pytest.mark.parametrize("head, files, expect", [
    ('sources = ["a.rs", "b.rs"]\n', "ab", "has the Rust sources a.rs and b.rs. A component has one root"),
    ("", "ab", "has the Rust files a.rs, b.rs. The root whose"),
    ('sources = ["c.rs"]\n', "ab", "'c.rs' is not a .c, .cpp, .cc, .rs or .S file"),
    ('libc = "musl"\nthread = true\n', "a", "'libc' is set, but a.rs is Rust. Debian has no standard library of Rust for musl"),
    ('package = "lua"\nsources = ["a.rs"]\n', "a", "'package' is set, but a.rs is Rust. Packages are sources in C or C++"),
    ('rustflags = ["-O"]\nsources = []\n', "", "'rustflags' is set, but no source is Rust"),
    ('rustflags = ["a"]\n', "a", "'a' is not a compiler flag"),
])
def test_description_is_refused(tmp_path, head, files, expect):
    result = build(folder_with(tmp_path, head, **{name: ROOT for name in files}))
    assert expect in support.only_line(result)


@pytest.mark.parametrize("files, head, expect", [
    (["a"], "", "a.rs"), (["bad", "part"], "", "bad.rs"), (["a", "b"], 'sources = ["b.rs"]\n', "b.rs")])
def test_root(tmp_path, files, head, expect):
    folder = folder_with(tmp_path, head, **{name: ROOT for name in files})
    definition = component.read(folder / "component.toml")
    assert definition.rust == expect and definition.sources == [expect]


def test_c_files_stay_sources(tmp_path):
    folder = folder_with(tmp_path, a=ROOT)
    (folder / "part.c").write_text("int unused;\n")
    assert component.read(folder / "component.toml").sources == ["part.c", "a.rs"]


def test_missing_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("RUSTC", str(tmp_path / "none"))
    said = support.only_line(build(folder_with(tmp_path, a=ROOT)))
    assert f"the compiler {tmp_path}/none does not run" in said and "Install Debian's rustc and rust-src" in said


@pytest.mark.parametrize("release, expect", [
    ("release: 1.63.0", "there is no {0}/lib/rustlib/src/rust/library. core and alloc are built from it. Install rust-src"),
    ("version 7", "the compiler prints 'version 7', which is not a release of Rust 1")])
def test_missing_sources(tmp_path, monkeypatch, release, expect):
    compiler_that(tmp_path, monkeypatch, f'[ "$1" = -vV ] && echo {release} || echo {tmp_path}')
    assert expect.format(tmp_path) in support.only_line(build(folder_with(tmp_path, a=ROOT)))


def test_sources_of_another_version(tmp_path, monkeypatch):
    (tmp_path / "lib/rustlib/src").mkdir(parents=True)
    (tmp_path / "rustc-1.62.1/library/core/src").mkdir(parents=True)
    (tmp_path / "rustc-1.62.1/library/core/src/lib.rs").touch()
    (tmp_path / "lib/rustlib/src/rust").symlink_to(tmp_path / "rustc-1.62.1")
    compiler_that(tmp_path, monkeypatch, f'[ "$1" = -vV ] && echo release: 1.63.0 || echo {tmp_path}')
    assert "rustc is 1.63.0 and its sources are 1.62.1" in support.only_line(build(folder_with(tmp_path, a=ROOT)))


def test_an_import_of_any_interface(tmp_path):
    folder = folder_with(tmp_path, '[imports]\nserver = "any"\n', a=ROOT)
    assert "is of any interface, which a component in Rust cannot import" in support.only_line(build(folder))


def test_unit_tests_are_in_rust(tmp_path):
    folder = folder_with(tmp_path)
    (folder / "main.c").write_text("int unused;\n")
    assert "are not Rust. This option builds only unit tests in Rust" in support.only_line(build(folder, "--unit-test"))


@pytest.mark.parametrize("fpu", [False, True])
def test_target_has_the_flags_of_c(tmp_path, fpu):
    target = json.loads(rust.target(tmp_path, fpu))
    assert (target["code-model"], target["relocation-model"], target["panic-strategy"]) == ("small", "pic", "abort")
    features = target["features"].split(",")
    assert ("+sse2" in features) == fpu and ("+soft-float" in features) != fpu


def test_errors_are_those_of_the_header():
    text = stub_rust.errors()
    assert text.count("\n") == len(contract.ERRORS) + 2
    assert '    ERANGE 4 "an argument is outside its documented range",' in text


@pytest.fixture(name="host", scope="module")
def _host(tmp_path_factory):
    """Returns a folder with the crates of the interface echo, for this machine."""
    folder = tmp_path_factory.mktemp("host")
    echo = interface.read(ECHO)
    (folder / "import.rs").write_text(stub_rust.crate([stub_rust.client(echo, "parrot")], "Imports."))
    (folder / "export.rs").write_text(stub_rust.crate([stub_rust.server(echo)], "Exports."))
    (folder / "errors.rs").write_text(stub_rust.errors())
    (folder / "abi.rs").write_text(stub_rust.abi())
    found = rust.compiler(folder)
    environment = {**rust.unstable(), "LIMPET_GENERATED": str(folder)}
    for words, own in rust.crates([*found.words, "--cfg", "limpet_fake"], found, folder, environment):
        subprocess.run(words, env=own, check=True)
    return folder


def test_bindings(host):
    """The two crates call each other through C functions, as a client and a server do through the kernel."""
    words = [os.environ.get("RUSTC", rust.COMPILER), "--edition", "2021", "-D", "warnings", "--test", "-L", host,
             *rust.externs(host), "-o", host / "bindings", support.ROOT / "tests/compose/bindings.rs"]
    subprocess.run(words, check=True)
    done = support.run(host / "bindings")
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout + done.stderr


def test_c_functions_under_the_imports(tmp_path):
    """They compile with the C stubs."""
    assert support.interface(ECHO, "--client", tmp_path / "import/parrot.h", "--prefix", "parrot").returncode == 0
    (tmp_path / "calls.c").write_text(stub_rust.client_c(interface.read(ECHO), "parrot"))
    done = support.run("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-fomit-frame-pointer", "-I", tmp_path, "-I",
                       "lib", "-I", "shared", "-I", "include", "-c", "-o", tmp_path / "calls.o", tmp_path / "calls.c")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("symbol, name", [
    ("_ZN4core3fmt5write17h3c7ff4c3b622dfd4E", "core::fmt::write"),
    ("_ZN63_$LT$limpet..heap..Heap$u20$as$u20$core..alloc..GlobalAlloc$GT$5alloc17h3c7ff4c3b622dfd4E", None),
    ("_ZN4core3ptr28drop_in_place$LT$$RF$u32$GT$17h7bf3ffa779918dd3E", "core::ptr::drop_in_place<&u32>"),
    ("_ZNSt6vectorIiE3addEi", "_ZNSt6vectorIiE3addEi"), ("_ZNx17h7bf3ffa779918dd3E", "_ZNx17h7bf3ffa779918dd3E"),
    ("component_main", "component_main")])
def test_names_of_functions(symbol, name):
    assert rust.plain_name(symbol) == (name or "<limpet::heap::Heap as core::alloc::GlobalAlloc>::alloc")


@pytest.mark.parametrize("name, is_float", [
    ("__adddf3", True), ("__floatunsidf", True), ("__floatdisf", True), ("__fixunsdfdi", True), ("__truncdfsf2", True),
    ("__ltsf2", True), ("__unorddf2", True), ("fmod", True), ("__udivti3", False), ("memcpy", False), ("missing", False)])
def test_functions_of_floating_point(name, is_float):
    assert bool(rust.SOFT_FLOAT.fullmatch(name)) == is_float
