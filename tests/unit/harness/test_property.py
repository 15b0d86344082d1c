# SPDX-License-Identifier: GPL-2.0
"""Tests declarations of properties, and which of them share a guest."""

import json
import subprocess
from types import SimpleNamespace

import pytest

from tests.harness.kernels import FLAVOURS
from tests.harness.property import BUILD, SYSTEM, BadDeclaration, discover, load, pick, quick
from tests.harness.system import Case, groups, judge, missing, script
from tests.harness.qemu import Result


@pytest.fixture
def declare(tmp_path):
    """Makes a property folder from the text of its test.toml."""
    def make(text: str, name: str = "some"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "test.toml").write_text(text)
        (folder / "run.sh").write_text("")
        return load(folder)
    return make


def test_defaults(declare):
    """An empty declaration means four kernels, one and two processors, and a guest of its own."""
    found = declare("")
    assert found.kernels == ("6.1", "6.12", "6.1-rt", "6.12-rt")
    assert found.cpus == (1, 2) and not found.shared
    assert found.runs_on("6.1-debug") and not found.runs_on("5.10")


@pytest.mark.parametrize("text, complaint", [
    ("kernel = ['6.1']", "no key 'kernel'"),
    ("name = 'x'", "no key 'name'"),
    ("kernels = ['5.10']", "no kernel 5.10"),
    ("quick = ['5.10']", "no kernel 5.10"),
    ("quick_modes = ['beneath']", "quick_modes has a mode that modes does not have"),
    ("timeout = 'long'", "timeout must be float"),
    ("shared = 1", "shared must be bool"),
    ("memory = true", "memory must be int"),
    ("shared = true\nends = 'guest-reset'", "shared guest cannot"),
    ("machine = 'simics'", "'simics', not one of qemu, bochs"),
    ("machine = 'bochs'", "needs cpu"),
    ("machine = 'bochs'\ncpu = 'ryzen'\ncounted = true", "has no counted"),
    ("cable = true\nshared = true", "is not shared"),
])
def test_bad_declarations(declare, text, complaint):
    """Each declaration is refused with the key."""
    with pytest.raises(BadDeclaration, match=complaint):
        declare(text)


def test_discover(declare, tmp_path):
    """Finds properties at any depth, in the order of names. Their build folders have the same paths below build/."""
    for folder in ("one/b", "two/deep/a"):
        (tmp_path / folder).parent.mkdir(parents=True)
        declare("", folder)
    assert [found.name for found in discover(tmp_path)] == ["a", "b"]
    (tmp_path / "one/a").mkdir()
    for name in ("test.toml", "run.sh"):
        (tmp_path / "one/a" / name).write_text("")
    with pytest.raises(BadDeclaration, match="two/deep/a has the same name|one/a has the same name"):
        discover(tmp_path)
    boot = next(found for found in discover() if found.name == "boot")
    assert boot.built() == BUILD / "system" / boot.folder.relative_to(SYSTEM)


def test_groups(declare):
    """Shared properties of the same machine run together, others alone."""
    a, b = declare("shared = true", "a"), declare("shared = true", "b")
    c, d = declare("", "c"), declare("shared = true\ncounted = true", "d")
    cases = [Case(p, "6.1", cpus) for p in (a, b, c, d) for cpus in (1, 2)]
    found = sorted(["".join(case.property.name for case in group) for group in groups(cases)])
    assert found == ["ab", "ab", "c", "c", "d", "d"]


def test_cases_share_a_total(declare, monkeypatch):
    """In `make test-all` each case with full counts has a different index. In `make test` a case is alone."""
    found = declare("kernels = ['6.1', '6.12', '6.12-rt']\nmodes = ['beside', 'beneath']")
    cases = [Case(found, *case) for case in found.cases()]
    monkeypatch.setenv("LIMPET_LONG", "1")
    assert [case.place() for case in cases] == [(index, 8) for index in range(8)]
    assert "export LIMPET_CASE=7 LIMPET_CASES=8\n" in script(cases[-1:])
    for kernel in ("6.1-debug", "6.12-rt", "newest"):
        assert Case(found, kernel, 1).place() == (0, 1) and "LIMPET_LONG= " in script([Case(found, kernel, 1)])
    monkeypatch.delenv("LIMPET_LONG")
    assert {case.place() for case in cases} == {(0, 1)}


@pytest.mark.parametrize("long, few, total, count",
                         [("", 5, 1000, 5), ("1", 5, 1000, 125), ("1", 5, 1001, 126), ("1", 5, 8, 5)])
def test_part(long, few, total, count):
    """`part` prints FEW in `make test`, otherwise the rounded-up share of the total, at least FEW."""
    shell = f"eval \"$(sed -n '/^part() {{/,/^}}/p' {SYSTEM}/lib/system.sh)\"; part {few} {total}"
    done = subprocess.run(["sh", "-c", shell], env={"LIMPET_LONG": long, "LIMPET_CASES": "8", "PATH": "/usr/bin:/bin"},
                          check=True, text=True, stdout=subprocess.PIPE)
    assert done.stdout == f"{count}\n"


def run_shared(declare, tmp_path, text):
    """Runs the script of a and b, which run that text, with test files in place of the guest's. Returns its records."""
    cases = [Case(declare("shared = true", name), "6.1", 1) for name in "ab"]
    for name in "ab":
        (tmp_path / f"tests/{name}").mkdir(parents=True)
        (tmp_path / f"tests/{name}/run.sh").write_text(text)
    (tmp_path / "modules").write_text("")
    ours = script(cases)
    for theirs, path in ((">/dev/verdict", f">>{tmp_path}/verdict"), ("/proc/modules", f"{tmp_path}/modules"),
                         ("/limpet/tests", f"{tmp_path}/tests"), ("/run/limpet /tmp/*", f"{tmp_path}/log"),
                         ("dmesg -c", ":")):
        ours = ours.replace(theirs, path)
    done = subprocess.run(["sh", "-c", ours], cwd=tmp_path, check=False)
    return done.returncode, [json.loads(line) for line in (tmp_path / "verdict").read_text().splitlines()]


def test_shared_guest_is_cleaned(declare, tmp_path):
    """The next property does not find a log of the previous one, and has its own status."""
    status, records = run_shared(declare, tmp_path, "[ ! -e ../../log ] || exit 9\ntouch ../../log; exit 3\n")
    assert status == 0
    assert [record["status"] for record in records if "end" in record] == [3, 3]


def test_shared_guest_ends_when_limpet_is_left(declare, tmp_path):
    """A property that leaves Limpet attached fails, and the next one does not start in that guest."""
    status, records = run_shared(declare, tmp_path, "echo limpet 1 2 >../../modules\n")
    assert status == 1
    assert [record.get("begin") or record.get("end") for record in records if "test" not in record] == ["a", "a"]
    assert [record["ok"] for record in records if "test" in record] == [False]


def test_missing_artefact_is_named(declare):
    """A file that was not built is a failure of that property alone."""
    case = Case(declare("limpet = false\nimages = ['nowhere']"), "6.1", 1)
    assert "nowhere.limpet" in missing(case)[0]


def result(reason: str, records: list, trouble_at: int | None = None) -> Result:
    """Returns the result of a run. `trouble_at`: the number of records before an error on the console."""
    return Result("", records, reason, 1.0, "log", trouble=None if trouble_at is None else reason,
                  trouble_at=trouble_at or 0)


def test_dead_guest_blames_who_was_running(declare):
    """p passed, q was running at the panic, and r never started, so r gets a new guest."""
    good = [{"test": "t", "ok": True}, {"done": 1}]
    cases = [Case(declare("shared = true", name), "6.1", 1) for name in "pqr"]
    records = [{"begin": "p"}, *good, {"end": "p", "status": 0}, {"begin": "q"}, *good]
    outcomes = judge(cases, result("panic: x", records), {})
    assert outcomes["p-6.1-1cpu"].faults == []
    assert "guest ended by: panic: x" in outcomes["q-6.1-1cpu"].faults
    assert "r-6.1-1cpu" not in outcomes


@pytest.mark.parametrize("trouble_at, guilty", [(0, "pqr"), (1, "pqr"), (4, "pqr"), (5, "qr"), (8, "qr"), (9, "r"), (12, "r")])
def test_a_splat_blames_who_was_running_then(declare, trouble_at, guilty):
    """The guest continues after a splat. The property that was running at the splat fails, and those that began since."""
    cases = [Case(declare("shared = true", name), "6.1", 1) for name in "pqrs"]
    records = [record for name in "pqr" for record in (
        {"begin": name}, {"test": "t", "ok": True}, {"done": 1}, {"end": name, "status": 0})]
    outcomes = judge(cases, result("WARNING: x", records, trouble_at), {})
    assert "".join(name for name in "pqr" if outcomes[f"{name}-6.1-1cpu"].faults) == guilty
    assert "s-6.1-1cpu" not in outcomes


def test_guest_that_never_began(declare):
    """If no property started, all of them fail and are not repeated."""
    cases = [Case(declare("shared = true", name), "6.1", 1) for name in "pq"]
    outcomes = judge(cases, result("timeout of 120 s", []), {})
    assert len(outcomes) == 2 and all(x.faults for x in outcomes.values())


def test_wanted_end(declare):
    """A property that ends in a reset passes after the reset."""
    case = Case(declare("ends = 'guest-reset'"), "6.1", 1)
    records = [{"begin": "some"}, {"test": "t", "ok": True}, {"done": 1}]
    assert judge([case], result("guest-reset", records), {})[str(case)].faults == []
    assert judge([case], result("poweroff", records), {})[str(case)].faults


def test_no_newer_qemu(declare, monkeypatch):
    """If a newer QEMU is not available, the case fails and is not skipped."""
    def unreachable():
        raise RuntimeError("no network")
    monkeypatch.setattr("tests.harness.system.newer_qemu", unreachable)
    [fault] = missing(Case(declare("newer_qemu = true"), "6.1", 1))
    assert "newer QEMU" in fault and "no network" in fault


@pytest.mark.parametrize("text, where, name", [
    ("packages = ['none-such']", "packages.root", "Debian's packages"),
    ("selftests = true", "selftests.root", "the kernel's tests"),
])
def test_what_is_fetched_cannot_be_had(declare, monkeypatch, text, where, name):
    def unreachable(*_):
        raise RuntimeError("no network")
    monkeypatch.setattr(f"tests.harness.{where}", unreachable)
    [fault] = missing(Case(declare(text), "6.1", 1))
    assert name in fault and "no network" in fault


def test_packages_are_a_file_system_of_the_machine(declare, monkeypatch, tmp_path):
    monkeypatch.setattr("tests.harness.packages.root", lambda packages: tmp_path / "-".join(packages))
    assert Case(declare("", "none"), "6.1", 1).machine().qemu == ()
    words = Case(declare("packages = ['one', 'two']\nqemu = ['-s']"), "6.1", 1).machine().qemu
    assert words[:2] == ("-s", "-virtfs") and f"path={tmp_path}/one-two," in words[2] and "readonly=on" in words[2]


def test_long(declare, monkeypatch):
    """A long property is skipped unless long ones are requested, also if a kernel is chosen."""
    from tests.system.conftest import chosen
    monkeypatch.delenv("LIMPET_LONG", raising=False)
    monkeypatch.setenv("KERNEL", "6.1")
    assert not chosen(declare("long = true"), "6.1", 1, "beside") and chosen(declare("", "short"), "6.1", 1, "beside")
    monkeypatch.setenv("LIMPET_LONG", "1")
    assert chosen(load(declare("", "again").folder.parent / "some"), "6.1", 1, "beside")


def test_properties_by_name(declare):
    """PROPERTIES selects whole names, and an unknown name is an error."""
    from tests.system.conftest import named
    found = [declare("", "one"), declare("", "one-more")]
    assert named(found, ["one"]) == found[:1] and named(found, []) == found
    with pytest.raises(pytest.UsageError, match="no property other$"):
        named(found, ["one", "other"])


def test_no_case_is_an_error(monkeypatch):
    """A selection without a case would be a run in which each test passes."""
    from tests.system import conftest
    wanted, taken = SimpleNamespace(fixturenames=["case"], parametrize=lambda *words, ids: taken.append(words)), []
    for name, value in (("KERNEL", "6.1"), ("CPUS", "1"), ("MODE", "beside"), ("PROPERTIES", "attach-detach")):
        monkeypatch.setenv(name, value)
    conftest.pytest_generate_tests(wanted)
    assert len(taken) == 1
    monkeypatch.setenv("MODE", "beneath")
    with pytest.raises(pytest.UsageError, match="select no case"):
        conftest.pytest_generate_tests(wanted)


def test_picked_properties_exist(declare):
    """A list of names in a test has no name that is no property's."""
    root = declare("", "one").folder.parent
    declare("", "two")
    assert [found.name for found in pick(["two", "one"], root)] == ["one", "two"]
    with pytest.raises(BadDeclaration, match="no property three$"):
        pick(["one", "three"], root)


def test_quick(declare):
    """Each property runs on both kernels, one with few processors and one with many, or in each mode on one kernel."""
    def places(text, mode, name):
        found = declare(text, name)
        return [(kernel, cpus) for kernel in ("6.1", "6.12") for cpus in found.cpus
                if quick(found, kernel, cpus, mode)]
    assert places("", "beside", "p") == [("6.1", 1), ("6.12", 2)]
    assert places("cpus = [2]", "beneath", "q") == [("6.1", 2), ("6.12", 2)]
    only = "cpus = [1]\nquick = ['6.1']"
    assert places(only, "beneath", "r") == [("6.1", 1)]
    assert places(only, "beside", "s") == [("6.12", 1)]
    one_mode = f"{only}\nmodes = ['beside', 'beneath']\nquick_modes = ['beneath']"
    assert places(one_mode, "beneath", "t") == [("6.1", 1)] and not places(one_mode, "beside", "u")


def test_newest(declare):
    """A property runs on newer kernels too, unless it says that it does not."""
    assert declare("", "all").runs_on("newest")
    stock = declare("newest = false", "stock")
    assert stock.runs_on("6.12") and not stock.runs_on("newest")
    two = declare("kernels = ['6.1', 'newest']", "two")
    assert [kernel for kernel in FLAVOURS if two.runs_on(kernel)] == ["6.1", "6.1-cloud", "newest", "6.1-debug"]
