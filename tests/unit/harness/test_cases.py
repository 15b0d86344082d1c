# SPDX-License-Identifier: GPL-2.0
"""Tests how cases of test suites are built (tests/system/lib/cases.py) and judged (cases.sh)."""

import subprocess
from pathlib import Path

import pytest

from tests.system.lib import cases

TOP = Path(__file__).parents[3]
JUDGE = f"""
check() {{ shift 2; "$@" || echo "failed: no case passes"; }}
fail() {{ echo "$1: $2"; }}
figure() {{ echo "$1"; }}
. {TOP}/tests/system/lib/cases.sh
results=results
cases_judge
"""


@pytest.fixture(name="case")
def make_case(tmp_path):
    """Returns a function that makes a case of C texts and compiles it. It returns the name that main() has, or None."""
    def make(*texts, name="folder/1-1"):
        sources = []
        for number, text in enumerate(texts):
            sources.append((tmp_path / f"{number}.c", ("-DVALUE=3",)))
            sources[-1][0].write_text(text)
        case = cases.Case(name, tuple(sources))
        if not cases.compile_case(case, tmp_path / "objects"):
            return None
        words = subprocess.run(["nm", "-g", "--defined-only", tmp_path / f"objects/{name}.o"], check=True,
                               capture_output=True, text=True).stdout.split()
        return words[2:]
    return make


def test_one_global_name(case):
    """A case of several files has one global name, also if its files share others."""
    assert case("int other(void); int main(void) { return other(); }",
                "#include <stdio.h>\nint other(void) { return puts(\"text\") == VALUE; }") == ["case_folder_1_1"]


@pytest.mark.parametrize("text", [
    "int main(void) { return fork(); }",            # needs a second process
    "int main(void) { return system(\"true\"); }",
    "int main(void) { return no_such_function(); }",
    "int main(void) { return 0; }",                 # tests nothing of the library
    "int other(void) { return getpid(); }",         # has no main()
    "int main(void) { return }",
])
def test_omitted(case, text):
    """A case that cannot be a test is omitted, and not compiled again."""
    assert case(text) is None
    assert case("int main(void) { return puts(\"other contents\"); }") is None


def test_without(tmp_path):
    """A case that calls a function which a suite leaves out is omitted."""
    made = []
    for number, text in enumerate(("int main(void) { return puts(\"text\"); }", "int main(void) { return openpty(); }")):
        source = tmp_path / f"{number}.c"
        source.write_text(text)
        made.append(cases.Case(f"folder/{number}", ((source, ()),)))
    assert cases.compiled(made, tmp_path / "some", frozenset({"openpty"})) == made[:1]
    assert cases.compiled(made, tmp_path / "all") == made


@pytest.mark.parametrize("script", ["kill -KILL $$", "echo 'gcc: Killed signal terminated program cc1' >&2; exit 1"])
def test_interrupted(tmp_path, monkeypatch, script):
    """A case whose compiler is killed is an error, and is compiled again later."""
    compiler, source = tmp_path / "compiler", tmp_path / "0.c"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    source.write_text("#include <stdio.h>\nint main(void) { return puts(\"text\"); }")
    made = cases.Case("folder/0", ((source, ()),))
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="folder/0: the compiler was interrupted"):
        patch.setattr(cases.musl, "COMPILER", compiler)
        cases.compile_case(made, tmp_path)
    assert cases.compile_case(made, tmp_path)


def test_cases_that_are_required(monkeypatch):
    """Each case of `make test` must be built, and the full counts need a number of cases."""
    built = [cases.Case(name, ()) for name in ("a/1", "a/2")]
    monkeypatch.delenv("LIMPET_LONG", raising=False)
    cases.require(built, {"a/1"}, 3)
    with pytest.raises(RuntimeError, match="not built: a/3, b/1$"):
        cases.require(built, {"a/2", "b/1", "a/3"}, 2)
    monkeypatch.setenv("LIMPET_LONG", "1")
    cases.require(built, {"a/1"}, 2)
    with pytest.raises(RuntimeError, match="2 cases are built, and must be at least 3"):
        cases.require(built, {"a/1"}, 3)


def test_digest(tmp_path):
    """Each change of a file makes another name, so that old objects are not used."""
    file = tmp_path / "file"
    file.write_text("1")
    before = cases.digest(file)
    file.write_text("2")
    assert cases.digest(file) != before


def judged(folder, results, differences=""):
    """Returns the lines that the judgement of these results prints."""
    (folder / "results").write_text("".join("\t".join(line) + "\n" for line in results))
    (folder / "names").write_text("name program 0000\n" * len(results))
    (folder / "differences").write_text(differences)
    done = subprocess.run(["sh", "-c", JUDGE], cwd=folder, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.splitlines()


def test_judgement_accepts(tmp_path):
    """Equal outcomes, cases that fail on Linux, and differences with a reason are accepted."""
    lines = judged(tmp_path, [("a/1", "0", "0"), ("a/2", "1", "0"), ("a/3", "2", "signal 6"), ("a/4", "0", "1"),
                              ("a/5", "0", "hang"), ("a/6", "hang", "hang"), ("a/7", "hang", "2")],
                   "a/4  reason\na/5  hang: reason\na/6  hang: reason\n")
    assert lines == ['{"cases": 7, "linux": 3, "limpet": 1, "hang": 2, "hang_and_fail_on_linux": 1}']


@pytest.mark.parametrize("linux, limpet, differences, words", [
    ("0", "1", "", "passes on Linux, on Limpet: 1"),
    ("0", "1", "a/22  reason\n", "passes on Linux"),
    ("0", "0", "a/2  reason\n", "it passes, and is in differences"),
    ("0", "hang", "", "hangs on Limpet, on Linux: 0"),
    ("0", "hang", "a/2  another reason\n", "hangs on Limpet, on Linux: 0"),
    ("hang", "hang", "", "hangs on Limpet, on Linux: hang"),
    ("signal 11", "hang", "a/2  another reason\n", "hangs on Limpet, on Linux: signal 11"),
    ("signal 11", "crash", "a/2  hang: reason\n", "does not hang on Limpet: crash"),
    ("0", "1", "a/2  hang: reason\n", "does not hang on Limpet: 1"),
])
def test_judgement_refuses(tmp_path, linux, limpet, differences, words):
    """A difference without a reason, a reason without a difference, and a hang without a reason fail, also if Linux fails."""
    lines = judged(tmp_path, [("a/1", "0", "0"), ("a/2", linux, limpet)], differences)
    assert [words in line for line in lines] == [True, False]


def test_no_case_passes(tmp_path):
    """A run in which no case passes on Linux fails."""
    assert judged(tmp_path, [("a/1", "127", "1")])[0] == "failed: no case passes"
